package pipeline

import (
	"fmt"
	"regexp"
	"strconv"
)

// oldZones are three-letter names of Java's TimeZone that are no names of the tz database, or mean something else
// there, and the zones that Joda-Time takes them for.
var oldZones = map[string]string{
	"Z": "UTC", "GMT": "UTC", "MIT": "Pacific/Apia", "HST": "Pacific/Honolulu", "AST": "America/Anchorage",
	"PST": "America/Los_Angeles", "MST": "America/Denver", "PNT": "America/Phoenix", "CST": "America/Chicago",
	"EST": "America/New_York", "IET": "America/Indiana/Indianapolis", "PRT": "America/Puerto_Rico",
	"CNT": "America/St_Johns", "AGT": "America/Argentina/Buenos_Aires", "BET": "America/Sao_Paulo",
	"ART": "Africa/Cairo", "CAT": "Africa/Harare", "EAT": "Africa/Addis_Ababa", "NET": "Asia/Yerevan",
	"MET": "CET", "ECT": "CET",
	"PLT": "Asia/Karachi", "IST": "Asia/Kolkata", "BST": "Asia/Dhaka", "CTT": "Asia/Shanghai", "JST": "Asia/Tokyo",
	"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "SST": "Pacific/Guadalcanal", "NST": "Pacific/Auckland",
}

var javaOffset = regexp.MustCompile(`^GMT([+-])(\d{1,2})(?::?(\d\d))?$`)

// javaZone returns Joda-Time's name of a zone of Java's TimeZone, such as GMT+05:30.
func javaZone(id string) string {
	if name, ok := oldZones[id]; ok {
		return name
	}
	m := javaOffset.FindStringSubmatch(id)
	if m == nil {
		return id
	}
	hours, _ := strconv.Atoi(m[2])
	minutes, _ := strconv.Atoi(m[3])
	if hours == 0 && minutes == 0 {
		return "UTC"
	}
	return fmt.Sprintf("%s%02d:%02d", m[1], hours, minutes)
}
