package cores

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
)

// tree writes the files of processors that share cores.
func tree(t *testing.T, siblings ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	for p, list := range siblings {
		dir := filepath.Join(root, fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology", p))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "thread_siblings_list"), []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFirst(t *testing.T) {
	for name, c := range map[string]struct {
		siblings         []string
		processors, want []int
	}{
		"neighbours":             {[]string{"0-1\n", "0-1\n", "2-3\n", "2-3\n"}, []int{0, 1, 2, 3}, []int{0, 2}},
		"far apart":              {[]string{"0,2\n", "1,3\n", "0,2\n", "1,3\n"}, []int{0, 1, 2, 3}, []int{0, 1}},
		"only the second thread": {[]string{"0,2\n", "1,3\n", "0,2\n", "1,3\n"}, []int{2, 3}, []int{2, 3}},
		"four threads a core":    {[]string{"0-3\n", "0-3\n", "0-3\n", "0-3\n"}, []int{0, 1, 2, 3}, []int{0}},
		"one thread a core":      {[]string{"0\n", "1\n"}, []int{0, 1}, []int{0, 1}},
		"no files":               {nil, []int{0, 1}, []int{0, 1}},
		"nonsense":               {[]string{"", "-1", "all\n", "99999999999999\n"}, []int{0, 1, 2, 3}, []int{0, 1, 2, 3}},
		"no processors":          {nil, nil, nil},
	} {
		if got := first(tree(t, c.siblings...), c.processors); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct{ processors, cores, want int }{
		{8, 4, 4}, // two threads a core
		{2, 4, 2}, // a quota of two processors
		{4, 4, 4},
		{4, 0, 4}, // unknown
	} {
		if got := limit(c.processors, c.cores); got != c.want {
			t.Errorf("%d processors with %d cores: %d, want %d", c.processors, c.cores, got, c.want)
		}
	}
}

// TestCount: there is a core at least, and Go's own variable is the number itself.
func TestCount(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	if n := Count(); n < 1 || n > runtime.GOMAXPROCS(0) {
		t.Error(n)
	}
	t.Setenv("GOMAXPROCS", "7") // Go itself read it when this process began
	if n := Count(); n != runtime.GOMAXPROCS(0) {
		t.Error(n)
	}
}
