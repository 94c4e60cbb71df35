package stats

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/program"
)

var someCosts = []program.Cost{
	{Scope: program.Scope{Layer: "dense", Phase: program.Backward}, Op: "matmul", Times: 4, Took: 3 * time.Millisecond},
	{Scope: program.Scope{Layer: "<script>alert(1)</script>", Phase: program.Forward}, Op: "scan/exp+mul", Times: 2,
		Took: time.Millisecond},
}

// TestCosts: costs of workers are sent in a record, and summed by kind.
func TestCosts(t *testing.T) {
	worker, driver := New("partition 0"), New("master")
	worker.AddCosts(someCosts...)
	worker.Measure(Measurement{Name: "x", Iteration: 1, Value: 2})
	r := worker.Record()
	for range 2 {
		if err := driver.AddRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	want := slices.Clone(someCosts)
	for i := range want {
		want[i].Times *= 2
		want[i].Took *= 2
	}
	if got := driver.Costs(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if len(driver.Measurements()) != 2 || len(worker.Costs()) != 0 {
		t.Error("measurements are lost, or costs are there twice")
	}
	for n := range len(r) - 1 { // a record that is cut off in the middle
		if err := driver.AddRecord(r[:n]); err == nil && n > 0 && len(driver.Costs()) > 0 {
			t.Errorf("%d bytes of %d have costs", n, len(r))
		}
	}
}

// TestExportProfile writes all formats; the page shows hostile names as text.
func TestExportProfile(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := ExportProfile(t.Context(), path, "A & B", someCosts); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	folded := "dense;backward;matmul 3000\n<script>alert(1)</script>;forward;scan;exp+mul 1000\n"
	if got := read("p.folded"); got != folded {
		t.Errorf("%s", got)
	}
	var list struct {
		Operations []struct{ Seconds float64 }
	}
	if err := json.Unmarshal([]byte(read("p.JSON")), &list); err != nil || list.Operations[0].Seconds != 0.003 {
		t.Errorf("%v, %+v", err, list)
	}
	page := read("p.html")
	expectHead(t, page, "A & B")
	if strings.Contains(page, "<script>alert") || !strings.Contains(page, "&lt;script&gt;alert") ||
		!strings.Contains(page, "A &amp; B") || !strings.Contains(page, "left:75.000%;width:25.000%") ||
		!strings.Contains(page, "exp+mul: 1.0 ms, 25.0%, 2 times") {
		t.Error(page)
	}
	var ending *ProfileEndingError
	if err := ExportProfile(t.Context(), "p.csv", "", nil); !errors.As(err, &ending) {
		t.Errorf("%v", err)
	}
	if lines := ProfileTable(someCosts, 1); len(lines) != 3 || !strings.Contains(lines[2], "all others") {
		t.Errorf("%q", lines)
	}
}
