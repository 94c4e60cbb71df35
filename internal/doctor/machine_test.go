package doctor

import (
	"errors"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/numa"
)

func TestNodes(t *testing.T) {
	two := []numa.Node{{Number: 0, Processors: []int{0, 1, 2, 3}}, {Number: 1, Processors: []int{4, 5, 6, 7}}}
	works := func([]numa.Node) error { return nil }
	refused := func([]numa.Node) error { return errors.New("mbind: operation not permitted") }
	const names = "2 NUMA nodes: node 0 (processors 0-3), node 1 (processors 4-7); "
	for name, c := range map[string]struct {
		got   checkup.Finding
		level checkup.Level
		text  string
	}{
		"processes":          {nodes(two, true, 4, 2, refused), checkup.OK, names + "each worker stays on one"},
		"too many processes": {nodes(two, true, 3, 3, refused), checkup.OK, "2 workers of 3 stay on one each, the others"},
		"goroutines":         {nodes(two, false, 4, 2, refused), checkup.OK, "those of processes[N] stay on one each"},
		"many threads":       {nodes(two, false, 1, 8, works), checkup.OK, "its memory lies on them in turn"},
		"a container": {nodes(two, true, 1, 5, refused), checkup.Warning,
			"in turn; but mbind: operation not permitted: memory lies where it is first written"},
	} {
		if c.got.Level != c.level || !strings.Contains(c.got.Text, c.text) || (c.got.Fix == "") != (c.level == checkup.OK) {
			t.Errorf("%s: %+v", name, c.got)
		}
	}
}

func TestMachineChecks(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		got   checkup.Finding
		level checkup.Level
		text  string
	}{
		"processors":       {processors(2, 4, 8, 2), checkup.OK, "2 workers, 4 threads each, on 8 cores"},
		"too many workers": {processors(4, 4, 8, 0), checkup.Warning, "4 workers, 4 threads each, on 8 cores"},
		"too few workers":  {processors(2, 4, 8, 3), checkup.Warning, "3 workers are wanted"},
		"kernels":          {instructions("portable", "arm64"), checkup.OK, "portable, of [portable"},
		"memory": {enough(checkup.Memory{Total: 8 << 30, Available: 4 << 30}, 4), checkup.OK,
			"8.6 GB, 4.3 GB of them free"},
		"little memory": {enough(checkup.Memory{Total: 8 << 30, Available: 1 << 28}, 4), checkup.Warning,
			"8.6 GB, 268.4 MB of them free"},
		"a container": {enough(checkup.Memory{Total: 8 << 30, Available: 4 << 30, Limit: 1 << 28}, 4), checkup.Warning,
			"268.4 MB, 268.4 MB of them free"},
		"unknown memory": {enough(checkup.Memory{}, 4), checkup.OK, "not known"},
		"temporary":      {temporary(dir, 4<<30), checkup.OK, dir + ", 4.3 GB free"},
		"little room":    {temporary(dir, 4<<20), checkup.Warning, dir + ", 4.2 MB free"},
		"unknown room":   {temporary(dir, -1), checkup.OK, dir},
		"no directory":   {temporary(dir+"/none", 4<<30), checkup.Failure, "none"},
	} {
		if c.got.Level != c.level || !strings.Contains(c.got.Text, c.text) || (c.got.Fix == "") != (c.level == checkup.OK) {
			t.Errorf("%s: %+v", name, c.got)
		}
	}
}
