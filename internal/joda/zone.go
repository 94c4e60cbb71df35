package joda

import (
	"archive/zip"
	"bytes"
	_ "embed" // the time zones
	"fmt"
	"io"
	"sync"
	"time"
)

// zones is the tz database, compiled, as Go's release has it in lib/time/zoneinfo.zip; testdata/README.md says how it
// is made.
//
//go:embed zones.zip
var zones []byte

var zoneFiles = sync.OnceValues(func() (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(zones), int64(len(zones)))
})

// Zone finds a time zone: a name of the tz database such as Europe/Berlin, or a fixed offset such as +05:30. It does
// not look at the machine's own tables.
func Zone(id string) (*time.Location, error) {
	if id == "UTC" || id == "Z" {
		return time.UTC, nil
	}
	if id != "" && (id[0] == '+' || id[0] == '-') {
		if ms, n := parseOffset(id); n == len(id) {
			return time.FixedZone(id, int(ms/second)), nil
		}
	}
	files, err := zoneFiles()
	if err != nil {
		return nil, err
	}
	if id != "" && id[len(id)-1] != '/' {
		if f, err := files.Open(id); err == nil {
			defer f.Close()
			data, err := io.ReadAll(f)
			if err != nil {
				return nil, err
			}
			return time.LoadLocationFromTZData(id, data)
		}
	}
	return nil,
		fmt.Errorf("there is no time zone %q: write a name of the tz database, such as Europe/Berlin, or an offset, "+
			"such as +05:30", id)
}

// offset returns how far local time is ahead of UTC at an instant, in milliseconds.
func offset(instant int64, zone *time.Location) int64 {
	if zone == time.UTC {
		return 0
	}
	_, s := time.UnixMilli(instant).In(zone).Zone()
	return int64(s) * second
}

// Offset returns how far a zone's clocks are ahead of UTC at an instant, in milliseconds.
func Offset(instant int64, zone *time.Location) int64 { return offset(instant, zone) }

// resolve finds the instant of a local time: the earlier one of two, and none if the clocks skipped it.
func resolve(local int64, zone *time.Location) (int64, bool) {
	found, ok := int64(0), false
	for _, at := range []int64{local - 16*hour, local + 16*hour} {
		t := local - offset(at, zone)
		for range 2 {
			o := offset(t, zone)
			if t+o == local {
				if !ok || t < found {
					found, ok = t, true
				}
				break
			}
			t = local - o
		}
	}
	return found, ok
}
