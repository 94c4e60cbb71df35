package pipeline

import (
	"fmt"
	"math"
)

// TimeUnit is the unit of a span of time (java.util.concurrent.TimeUnit).
type TimeUnit string

// The units, by their names in files.
const (
	Nanoseconds  TimeUnit = "NANOSECONDS"
	Microseconds TimeUnit = "MICROSECONDS"
	Milliseconds TimeUnit = "MILLISECONDS"
	Seconds      TimeUnit = "SECONDS"
	Minutes      TimeUnit = "MINUTES"
	Hours        TimeUnit = "HOURS"
	Days         TimeUnit = "DAYS"
)

// millis converts n units to milliseconds. Fractions are cut off, and results that are too large become the largest
// number.
func (u TimeUnit) millis(n int64) (int64, error) {
	factor := int64(1)
	switch u {
	case Nanoseconds:
		return n / 1_000_000, nil
	case Microseconds:
		return n / 1000, nil
	case Milliseconds:
	case Seconds:
		factor = 1000
	case Minutes:
		factor = 60_000
	case Hours:
		factor = 3_600_000
	case Days:
		factor = 86_400_000
	default:
		return 0,
			fmt.Errorf("there is no unit of time %q: there are NANOSECONDS, MICROSECONDS, MILLISECONDS, SECONDS, MINUTES, "+
				"HOURS and DAYS", string(u))
	}
	switch {
	case n > math.MaxInt64/factor:
		return math.MaxInt64, nil
	case n < math.MinInt64/factor:
		return math.MinInt64, nil
	}
	return n * factor, nil
}
