package source

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestSizesAreCheckedFirst: files that don't fit together, or have impossible sizes, are refused before their content
// is read.
func TestSizesAreCheckedFirst(t *testing.T) {
	pixels := gzipped(t, idx([]int{100, 1000, 1000})+strings.Repeat("\x00", 100_000_000))
	images, labels := write(t, "x", pixels), write(t, "y", idx([]int{2}, 2, 0))
	points := write(t, "points", "1 1:1\n0 2:1\n")
	for spec, want := range map[string]string{
		"idx:" + images + "," + labels: "there are 2 labels for the 100 images",
		"csv:/dev/zero":                "is a device, not a file",
		"dl4j:/dev/zero":               "is a device, not a file",
	} {
		if _, err := os.Stat("/dev/zero"); err != nil && strings.Contains(spec, "zero") {
			continue // this system has no such file
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(t.Context(), spec)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, wanted %s", spec, err, want)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
			t.Errorf("%.40s: %d bytes were allocated", spec, got)
		}
	}
	if s, err := OpenLibSVM(t.Context(), points, LibSVM{Features: 1000}); err != nil || s.Info().Features[0][0] != 1000 {
		t.Error(err)
	}
}
