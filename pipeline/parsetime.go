package pipeline

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/joda"
)

// StringToTime parses text as times: docs/pipeline.md lists the patterns (time.StringToTimeTransform). Spaces around a
// text are ignored.
type StringToTime struct {
	Column string `dl4j:"columnName"`
	// Format is a pattern of Joda-Time: "YYYY-MM-dd HH:mm". Without it, the usual formats are tried.
	Format string `dl4j:"timeFormat,omitnull,zeronull"`
	// Zone is the time zone of the column, and of texts that do not name one: "Europe/Berlin". It may be a name of
	// Java's TimeZone, such as "GMT+05:30" or "PST".
	Zone string `dl4j:"timeZone"`
	// Locale defines the names of months and days: "de_AT". An empty one means en_US.
	Locale string `dl4j:"locale,omitnull,zeronull"`
	// Min and Max are the limits of the new column.
	Min *int64 `dl4j:"minValidTime,omitnull"`
	Max *int64 `dl4j:"maxValidTime,omitnull"`
}

// timeTransforms is the package of DataVec's transforms of times.
const timeTransforms = "org.datavec.api.transform.transform.time."

func init() {
	RegisterTransform(timeTransforms+"StringToTimeTransform", func() Transform { return StringToTime{Zone: "UTC"} })
}

// Bind checks the pattern, the zone and the locale.
func (s StringToTime) Bind(in *Schema) (Bound, error) {
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	name := javaZone(s.Zone)
	zone, err := joda.Zone(name)
	if err != nil {
		return Bound{}, err
	}
	parse, err := s.parser(zone)
	if err != nil {
		return Bound{}, err
	}
	columns := append([]Column(nil), in.Columns...)
	columns[at] = TimeColumn{Name: s.Column, Zone: name, Min: s.Min, Max: s.Max}
	whole := func(text string) (int64, error) {
		if text != "" && (text[0] <= ' ' || text[len(text)-1] <= ' ') {
			text = strings.TrimFunc(text, func(c rune) bool { return c <= ' ' })
		}
		if strings.IndexByte(text, '\'') >= 0 {
			text = strings.ReplaceAll(text, "'T'", "T")
		}
		return parse(text)
	}
	do := func(v Value) (Value, error) {
		if v.IsNull() {
			return v, &ValueError{v, "a time"}
		}
		ms, err := whole(v.String())
		return Long(ms), err
	}
	return Bound{in.With(columns), &cellMap{at: at, name: s.Column, do: do, gives: LongKind, whole: whole}}, nil
}

func (s StringToTime) parser(zone *time.Location) (func(string) (int64, error), error) {
	now := time.Now()
	if s.Format == "" {
		return guesser(zone, now)
	}
	p, err := joda.Compile(s.Format, s.Locale, now)
	if err != nil {
		return nil, err
	}
	return func(text string) (int64, error) { return p.Parse(text, zone) }, nil
}

// usualTimes lists the patterns to try, in this order.
var usualTimes = []string{"YYYY-MM-dd'T'HH:mm:ss", "YYYY-MM-dd", "YYYY-MM-dd'T'HH:mm:ssZ", "YYYY-MM-dd HH:mm:ss",
	"MM/dd/YYYY HH:mm:ss", "MM/dd/YYYY'T'HH:mm:ssZ", "MM/dd/YYYY'T'HH:mm:ss", "YYYY:MM:dd HH:mm:ss", "YYYYMMdd",
	"MM/dd/YYYY HH:mm"}

var fractions = regexp.MustCompile(`\.[0-9]+`)

// guesser tries the usual patterns. Seconds may have a fraction, of which three digits are read, and Z means UTC.
// DataVec drops the fraction, and takes Z for the column's zone.
func guesser(zone *time.Location, now time.Time) (func(string) (int64, error), error) {
	patterns := make([]*joda.Pattern, len(usualTimes))
	for i, text := range usualTimes {
		var err error
		if patterns[i], err = joda.Compile(text, "", now); err != nil {
			return nil, err
		}
	}
	return func(text string) (int64, error) {
		bare, fraction := text, int64(0)
		if at := fractions.FindStringIndex(text); at != nil {
			bare = fractions.ReplaceAllString(text, "")
			for i, unit := at[0]+1, int64(100); i < at[1] && unit > 0; i, unit = i+1, unit/10 {
				fraction += int64(text[i]-'0') * unit
			}
		}
		for i, p := range patterns {
			ms, err := p.Parse(bare, zone)
			if err == nil && strings.Contains(usualTimes[i], "ss") {
				ms += fraction
			}
			if err == nil {
				return ms, nil
			}
		}
		return 0,
			fmt.Errorf("%.60q is a time in none of the usual formats, such as 2018-03-10 01:02:03; give its timeFormat, or "+
				"see whether it exists in the zone %s", text, zone)
	}, nil
}

// compileToPrint compiles a pattern for printing, with English names.
func compileToPrint(format string) (*joda.Pattern, error) {
	p, err := joda.Compile(format, "", time.Now())
	if err != nil {
		return nil, err
	}
	return p, p.Prints()
}
