package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
)

// same fails unless a source in a Room has the same examples and description as a table.
func same(t *testing.T, what string, got Source, want Table) {
	t.Helper()
	s, ok := got.(*Stored)
	if !ok {
		t.Fatalf("%s: the examples are a %T", what, got)
	}
	if !reflect.DeepEqual(s.Info(), want.Info()) {
		t.Errorf("%s: %+v\nnot %+v", what, s.Info(), want.Info())
	}
	n := want.Objects()
	all := make([]int, n)
	for i := range all {
		all[i] = n - 1 - i
	}
	for _, indices := range [][]int{{0}, all, {n - 1, 0}, {0, 0}} {
		m, err := s.Pick(indices)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data.AppendRow(nil, m), data.AppendRow(nil, want.Examples(indices))) {
			t.Errorf("%s: the examples %v are others: %v, not %v", what, indices, m, want.Examples(indices))
		}
	}
	for i := range n {
		a, errA := ObjectRows(got, i)
		b, errB := ObjectRows(want, i)
		if errA != nil || errB != nil || len(a) != 1 || len(b) != 1 {
			t.Fatal(errA, errB)
		}
		x, errA := data.DecodeRow(a[0])
		y, errB := data.DecodeRow(b[0])
		if errA != nil || errB != nil || !bytes.Equal(data.AppendRow(nil, x), data.AppendRow(nil, y)) {
			t.Errorf("%s: row %d is another one", what, i)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestRoomOfEach: in a Room, each kind of files has the same examples and description as in a table.
func TestRoomOfEach(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var csv, keyed strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&csv, "%d,%d,%s\n", i, i%7, strings.Repeat("z", 1+(i+3)%4))
		fmt.Fprintf(&keyed, "k%d,%d,%d,%d\n", i, i%7, i, i%2)
	}
	specs := []string{"csv:" + write(t, "long.csv", csv.String()),
		"csv:" + write(t, "keyed.csv", keyed.String()) + "?key=0&weights=1&classes=2",
		"csv:" + write(t, "numbers.csv", "1,0.5\n2,0.25\n") + "?regression=true"}
	for spec := range someOfEach(t) {
		specs = append(specs, spec)
	}
	for _, spec := range specs {
		n, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if n.Kind == "dl4j" || n.Kind == "digits" {
			continue
		}
		want, err := OpenName(t.Context(), n, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{0, 100_000, 1 << 30} {
			got, err := OpenName(t.Context(), n, Options{Room: &Room{Memory: memory}})
			if err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
			same(t, fmt.Sprintf("%s, room for %d bytes", spec, memory), got, want.(Table))
		}
	}
	if left, err := filepath.Glob(temp + "/*"); err != nil || len(left) > 0 {
		t.Errorf("files stay: %v (%v)", left, err)
	}
}

// TestRoomOfSequences: in a Room, sequences have the same padding, masks and notes as in a table. This includes data
// whose first step without a label comes late, so that all examples need a mask.
func TestRoomOfSequences(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	lines := []string{"id,x,y"}
	for i := range 60_000 {
		lines = append(lines, fmt.Sprintf("%d,%d,%s", i/7*2+i%2, i, []string{"n", "p"}[i%2]))
	}
	short := []string{"id,x,y", "a,1,n", "a,2,p", "a,3,n", "b,4,n", "c,5,p"}
	for name, c := range map[string]struct {
		perStep bool
		lines   []string
	}{
		"one label":    {false, []string{"id,x,y", "a,1,n", "a,2,n", "b,4,p", "c,5,p", "c,6,p"}},
		"labels":       {true, short},
		"gaps":         {true, append(slices.Clone(short), "c,6,")},
		"gap at first": {true, append([]string{"id,x,y", "z,0,n", "z,7,"}, short[1:]...)},
		"long":         {true, lines},
		"late gap":     {true, append(slices.Clone(lines), "last,1,n", "last,2,")},
	} {
		n := readings(t, "sequence=id", c.lines...)
		p := ofSteps(c.perStep, &Sequencing{ID: []string{"id"}})
		want, err := OpenName(t.Context(), n, Options{Preparation: p})
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{0, 1 << 30} {
			got, err := OpenName(t.Context(), n, Options{Preparation: p, Room: &Room{Memory: memory}})
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%s, room for %d bytes", name, memory), got, want.(*Prepared))
		}
	}
}

// TestRoomNamesTheExample: a number that is not finite is reported with the example's number among all.
func TestRoomNamesTheExample(t *testing.T) {
	n, err := Parse("npy:" + write(t, "x.npy", arrayFile(20, 2, func(i int) float32 {
		if i == 2*13+1 {
			return float32(math.NaN())
		}
		return 1
	})))
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []*Room{nil, {Memory: 1 << 20}} {
		_, err := OpenName(t.Context(), n, Options{Room: room})
		if value := (*data.ValueError)(nil); !errors.As(err, &value) || value.Example != 13 || value.Column != 1 {
			t.Errorf("room %v: %v", room, err)
		}
	}
}

// arrayFile returns the file of an array.
func arrayFile(rows, columns int, at func(i int) float32) string {
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
	file = append(file, head...)
	for i := range rows * columns {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(at(i)))
	}
	return string(file)
}

// TestRoomErrors: with a Room, too, wrong classes are errors, and no file remains.
func TestRoomErrors(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	many := strings.Builder{}
	for i := range 101 {
		fmt.Fprintf(&many, "1,%d\n", i)
	}
	for text, settings := range map[string]string{
		many.String(): "", "1,2,0.5\n": "", "1,2,x\n1,2\n": "", "1,a,x\n": "", "": "", "1,2,1\n1,2,7\n": "?classes=3",
	} {
		n, err := Parse("csv:" + write(t, "bad.csv", text) + settings)
		if err != nil {
			t.Fatal(err)
		}
		_, want := OpenName(t.Context(), n, Options{})
		_, got := OpenName(t.Context(), n, Options{Room: &Room{}})
		if want == nil || got == nil || got.Error() != want.Error() {
			t.Errorf("%q: %v, not %v", text[:min(len(text), 20)], got, want)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("files stay: %v (%v)", left, err)
	}
}
