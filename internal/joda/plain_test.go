package joda

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestPlainTimes compares the short way for plain patterns with the general one, on texts that fit and on others.
func TestPlainTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, pattern := range []string{"yyyy-MM-dd", "YYYY-MM-dd", "dd.MM.yyyy", "M/d/y", "yyyyMMdd",
		"yyyy-MM-dd'T'HH:mm:ss",
		"yyyy-MM-dd HH:mm", "HH:mm:ss.SSS yyyy/MM/dd", "y-D", "MM/yyyy"} {
		plain, err := Compile(pattern, "", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		general := *plain
		general.plain = nil
		for range 3000 {
			y, m, d := r.IntN(3000), r.IntN(14), r.IntN(33)
			text := []string{fmt.Sprintf("%04d-%02d-%02d", y, m, d), fmt.Sprintf("%02d.%02d.%d", d, m, y),
				fmt.Sprintf("%d/%d/%d", m, d, y), fmt.Sprintf("%04d%02d%02d", y, m, d),
				fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", y, m, d, r.IntN(25), r.IntN(61), r.IntN(61)),
				fmt.Sprintf("%04d-%d-%02d %02d:%d", y, m, d, r.IntN(25), r.IntN(61)),
				fmt.Sprintf("%02d:%02d:%02d.%03d %d/%d/%d", r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), y, m, d),
				fmt.Sprintf("%d-%d", y, d), fmt.Sprintf("-%d-%d-%d", y, m, d), ""}[r.IntN(10)]
			got, err := plain.Parse(text, time.UTC)
			want, wrong := general.Parse(text, time.UTC)
			if got != want || fmt.Sprint(err) != fmt.Sprint(wrong) {
				t.Fatalf("%s: %q is %d, %v; want %d, %v", pattern, text, got, err, want, wrong)
			}
		}
	}
}

// TestDates compares dates with those of package time.
func TestDates(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		ms := r.Int64N(200000*year) - 100000*year
		y, m, d := date(ms)
		at := time.UnixMilli(ms).UTC()
		if int(y) != at.Year() || int(m) != int(at.Month()) || int(d) != at.Day() || int(dayOfYear(ms)) != at.YearDay() {
			t.Fatalf("%d is %d-%d-%d, day %d; want %v", ms, y, m, d, dayOfYear(ms), at)
		}
	}
}
