package prepare

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// TestSequencesOnEngines: workers make sequences from rows in several files, in the order of numbers, of dates, or of
// the table. Examples, notices and places are the same as in this process.
func TestSequencesOnEngines(t *testing.T) {
	lines := messyRows(300)
	engines := []engine.Engine{onEngine(t, "local[3]"), onEngine(t, "processes[2]")}
	base := map[string]string{"label": "kind", "sequence": "site", "time": "when"}
	with := func(more ...string) map[string]string {
		all := maps.Clone(base)
		for i := 0; i < len(more); i += 2 {
			if all[more[i]] = more[i+1]; more[i+1] == "" {
				delete(all, more[i])
			}
		}
		return all
	}
	withoutID := strings.Replace(lines[40], ",s", ",", 1)
	broken := append(append([]string{}, lines...), "r,1.5,red,2026-01-01,,7,1,x\n", "r,1.5,red,soon,s4,7,1,x\n",
		"r,1.5,red,17,s4,7,1,x\n", "r,1.5,red,18,s99,7,1,x\n", lines[3], withoutID)
	for name, c := range map[string]struct {
		lines    []string
		settings map[string]string
		s        Settings
	}{
		"dates":   {lines, base, Settings{Proposal: median}},
		"numbers": {lines, with("time", "price"), Settings{Proposal: median}},
		"no time": {lines, with("time", ""), Settings{Proposal: median}},
		"two ids": {lines, with("sequence", "site,colour"), Settings{Proposal: median, Split: Split{Share: 0.7}, Seed: 4}},
		"split":   {lines, base, Settings{Proposal: median, Split: Split{Share: 0.6}, Seed: 2}},
		"group": {lines, with("sequence", "site,colour"), Settings{Proposal: median,
			Split: Split{Share: 0.6, By: ByGroup, Column: "site"}}},
		"sample":   {lines, with("sequence", "site,colour"), Settings{Proposal: median, Sample: 9}},
		"given":    {lines, with("sequence", "colour"), Settings{Proposal: analysis.Options{Missing: analysis.MissingDrop}}},
		"bad rows": {broken, with("bad-rows", "skip:20"), Settings{Proposal: median, Split: Split{Share: 0.7}, Seed: 1}},
	} {
		n := inFiles(t, c.lines, 4)
		n.Settings = c.settings
		want, err := Open(t.Context(), n, c.s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, e := range engines {
			got, err := OpenOn(t.Context(), e, n, c.s, distributed.OpenOptions{})
			if err != nil {
				t.Fatalf("%s, %s: %v", name, e.Master(), err)
			}
			sameResult(t, name+", "+e.Master(), got, want)
		}
		s := Settings{Known: want.Preparation}
		want, err = Open(t.Context(), n, s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := OpenOn(t.Context(), engines[1], n, s, distributed.OpenOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sameResult(t, name+", known", got, want)
	}
}

// TestSequencesOnEnginesAmiss: workers return the same errors as this process.
func TestSequencesOnEnginesAmiss(t *testing.T) {
	e := onEngine(t, "processes[2]")
	for name, change := range map[string]func(lines []string, n *source.Name){
		"no column": func(_ []string, n *source.Name) { n.Settings["sequence"] = "nothing" },
		"no id":     func(lines []string, _ *source.Name) { lines[80] = "r,1.5,red,2026-01-01,,7,1,x\n" },
		"no time":   func(lines []string, _ *source.Name) { lines[81] = "r,1.5,red,,s3,7,1,x\n" },
		"mixed":     func(lines []string, _ *source.Name) { lines[82] = "r,1.5,red,17,s3,7,1,x\n" },
		"no label":  func(lines []string, _ *source.Name) { lines[84] = "r,1.5,red,2026-01-01,s77,7,1,\n" },
	} {
		lines, n := messyRows(100), source.Name{Settings: map[string]string{}}
		change(lines, &n)
		settings := map[string]string{"label": "kind", "sequence": "site", "time": "when"}
		maps.Copy(settings, n.Settings)
		n = inFiles(t, lines, 4)
		n.Settings = settings
		_, want := Open(t.Context(), n, Settings{Proposal: median})
		_, err := OpenOn(t.Context(), e, n, Settings{Proposal: median}, distributed.OpenOptions{})
		if err == nil || want == nil || !strings.HasSuffix(fmt.Sprint(err), fmt.Sprint(want)) {
			t.Errorf("%s: %v, wanted %v", name, err, want)
		}
	}
}
