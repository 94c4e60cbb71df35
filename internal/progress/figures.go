package progress

import (
	"fmt"
	"strings"
	"time"
)

// Count writes n with its thousands apart: 1,234,567.
func Count(n int64) string {
	s := fmt.Sprint(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Plural writes how many of a thing there are: 1 epoch, 2 epochs, 1,000 batches.
func Plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ss"), strings.HasSuffix(what, "ch") && !strings.HasSuffix(what, "epoch"):
		what += "es"
	default:
		what += "s"
	}
	return Count(int64(n)) + " " + what
}

// Bytes writes a size: 1.6 MB.
func Bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	x, i := float64(n), 0
	for x >= 1000 && i < len(units)-1 {
		x /= 1000
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", x, units[i])
}

// Duration writes a time span: 0:07, 12:30, 1:02:03.
func Duration(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
