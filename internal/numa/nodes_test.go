package numa

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// tree writes the files of a machine; keys are paths below /sys/devices/system/node, or "mems" for the memory that the
// process may have.
func tree(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, "sys/devices/system/node", name)
		if name == "mems" {
			path = filepath.Join(root, "proc/self/status")
			text = "Name:\tx\nMems_allowed:\t3\nMems_allowed_list:\t" + text + "\nx:\ty"
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRead(t *testing.T) {
	two := map[string]string{"has_memory": "0-1", "node0/cpulist": "0-1,4-5", "node1/cpulist": "2-3,6-7", "mems": "0-1"}
	with := func(changes ...string) map[string]string {
		files := map[string]string{}
		for name, text := range two {
			files[name] = text
		}
		for i := 0; i < len(changes); i += 2 {
			files[changes[i]] = changes[i+1]
		}
		return files
	}
	both := []Node{{Number: 0, Processors: []int{0, 1, 4, 5}}, {Number: 1, Processors: []int{2, 3, 6, 7}}}
	for name, c := range map[string]struct {
		files map[string]string
		want  []Node
	}{
		"one node":                             {map[string]string{"has_memory": "0", "node0/cpulist": "0-7"}, nil},
		"two nodes":                            {two, both},
		"no files":                             {nil, nil},
		"no /proc":                             {map[string]string{"has_memory": "0-1", "node0/cpulist": "0"}, nil},
		"no status":                            {with("mems", ""), nil},
		"no cpulists":                          {map[string]string{"has_memory": "0-1", "mems": "0-1"}, nil},
		"a node without memory":                {with("node2/cpulist", "8-9"), both},
		"a node without processors":            {with("has_memory", "0-2", "node2/cpulist", "", "mems", "0-2"), both},
		"one with memory, one with processors": {with("node1/cpulist", ""), nil},
		"holes": {with("has_memory", "0,8", "node8/cpulist", "64", "mems", "0-63"),
			[]Node{{Number: 0, Processors: []int{0, 1, 4, 5}}, {Number: 8, Processors: []int{64}}}},
		"memory of one node only":  {with("mems", "1"), nil},
		"processors out of order":  {with("node1/cpulist", "3-2"), nil},
		"processors without end":   {with("node1/cpulist", "0-99999999999"), nil},
		"many processors":          {with("node1/cpulist", "0-20000"), nil},
		"nonsense for processors":  {with("node1/cpulist", "two"), nil},
		"nonsense for nodes":       {with("has_memory", "\x00-,"), nil},
		"nonsense for the process": {with("mems", "0-"), nil},
	} {
		if got := read(tree(t, c.files)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestWithin(t *testing.T) {
	both := []Node{{Number: 0, Processors: []int{0, 1}}, {Number: 1, Processors: []int{2, 3}}}
	only := func(p ...int) func(int) bool { return func(n int) bool { return slices.Contains(p, n) } }
	for _, c := range []struct {
		may  []int
		want []Node
	}{
		{[]int{0, 1, 2, 3}, both},
		{[]int{1, 2, 9}, []Node{{Number: 0, Processors: []int{1}}, {Number: 1, Processors: []int{2}}}},
		{[]int{2, 3}, nil},
		{nil, nil},
	} {
		if got := within(both, only(c.may...), func([]int) []int { return nil }); !reflect.DeepEqual(got, c.want) {
			t.Errorf("of processors %v: %v, want %v", c.may, got, c.want)
		}
	}
	if !reflect.DeepEqual(both, []Node{{Number: 0, Processors: []int{0, 1}}, {Number: 1, Processors: []int{2, 3}}}) {
		t.Error("the machine's nodes have changed:", both)
	}
}

func TestSpans(t *testing.T) {
	uneven := []Node{{Number: 0, Processors: []int{0}}, {Number: 1, Processors: []int{1, 2, 3}}}
	for threads, want := range map[int]bool{1: false, 3: false, 4: true} {
		if got := Spans(uneven, threads); got != want {
			t.Errorf("%d threads: %v", threads, got)
		}
	}
	twice := []Node{{Processors: []int{0, 1}, Cores: []int{0}}, {Processors: []int{2, 3}, Cores: []int{2}}}
	if !Spans(twice, 2) {
		t.Error("a node of one core has two")
	}
	if Spans(nil, 100) {
		t.Error("one node is not several")
	}
}

// TestCoresWithin: a process that may use one thread of a core has the core.
func TestCoresWithin(t *testing.T) {
	all := []Node{{Number: 0, Processors: []int{0, 1, 2, 3}}, {Number: 1, Processors: []int{4, 5, 6, 7}}}
	pairs := func(processors []int) (firsts []int) {
		for _, p := range processors {
			if p%2 == 0 || !slices.Contains(processors, p-1) {
				firsts = append(firsts, p)
			}
		}
		return firsts
	}
	want := []Node{{0, []int{0, 1, 3}, []int{0, 3}}, {1, []int{4, 5, 6, 7}, []int{4, 6}}}
	if got := within(all, func(p int) bool { return p != 2 }, pairs); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestString(t *testing.T) {
	if got := fmt.Sprint(Node{Number: 3, Processors: []int{0, 1, 2, 5, 8, 9}}); got != "node 3 (processors 0-2,5,8-9)" {
		t.Error(got)
	}
}

// TestClaim: replicas are dealt to nodes in turn, a node has no more threads than cores, and those of an ended process
// become free.
func TestClaim(t *testing.T) {
	nodes := []Node{
		{Number: 0, Processors: []int{0, 1, 2, 3}},
		{Number: 1, Processors: []int{4, 5, 6, 7, 10, 11}, Cores: []int{4, 5, 6, 7}},
		{Number: 4, Processors: []int{8, 9}},
	}
	for _, c := range []struct{ threads, want string }{
		{"1 1 1 1", "0 1 4 0"},
		{"1 1 1 1 1 1 1 1 1 1 1", "0 1 4 0 1 4 0 1 0 1 -"},
		{"2 2 2 2 2 2", "0 1 4 0 1 -"},
		{"3 3 3 1 2", "0 1 - 4 -"},
		{"4 4 4 2", "0 1 - 4"},
		{"5 1", "- 0"},
		{"4 free 4 4 4", "0 0 1 -"},
		{"1 2 3", "0 1 -"},
	} {
		taken := map[int]bool{}
		take := func(p int) (func(), bool) {
			if taken[p] {
				return nil, false
			}
			taken[p] = true
			return func() { delete(taken, p) }, true
		}
		var got []string
		var release func()
		for _, word := range strings.Fields(c.threads) {
			if word == "free" {
				release()
				continue
			}
			threads, before := 0, len(taken)
			fmt.Sscan(word, &threads)
			on, free, ok := claim(nodes, threads, take)
			if !ok {
				if got = append(got, "-"); len(taken) != before {
					t.Errorf("%s threads: a claim that fails holds processors: %v", c.threads, taken)
				}
				continue
			}
			release = free
			if got = append(got, fmt.Sprint(on.Number)); len(taken) != before+threads {
				t.Errorf("%s threads: %d processors are taken", c.threads, len(taken))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s threads: on nodes %v, want %s", c.threads, got, c.want)
		}
	}
}
