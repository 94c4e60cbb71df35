package distributed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/local"
	"github.com/dl4go/dl4go/internal/stored"
	"github.com/dl4go/dl4go/tensor"
)

// TestAssemblerCloses: the file that rows refer to is closed at the end, after an error, and by Close before the end.
func TestAssemblerCloses(t *testing.T) {
	w, err := stored.NewWriter(stored.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		x := tensor.MustOf([]float32{float32(i)}, 1, 1)
		row := data.AppendRow(nil, &data.MultiDataSet{Features: []*tensor.Dense{x}})
		if i == 4 {
			row = []byte("?")
		}
		if err := w.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	open := func(to int) *Assembler {
		reference, err := rows.Reference(nil, nil, 0, to)
		if err != nil {
			t.Fatal(err)
		}
		b := Minibatches(engine.SliceRows([]engine.Row{engine.Unindexed(reference)}), 2)
		if m, err := b.Next(); err != nil || m.Examples() != 2 {
			t.Fatalf("%v (%v)", m, err)
		}
		if b.in.(*referred).of == nil {
			t.Fatal("no file is open before the end")
		}
		return b
	}
	early := open(4)
	if err := early.Close(); err != nil || early.in.(*referred).of != nil {
		t.Errorf("after Close: %v, open: %v", err, early.in.(*referred).of != nil)
	}
	if _, err := early.Next(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Next after Close: %v", err)
	}
	for to, want := range map[int]error{4: io.EOF, 5: nil} {
		b := open(to)
		for err = nil; err == nil; {
			_, err = b.Next()
		}
		if want != nil && err != want || want == nil && err == io.EOF || b.in.(*referred).of != nil {
			t.Errorf("%d rows: %v, open: %v", to, err, b.in.(*referred).of != nil)
		}
	}
}

// disk returns examples in a file on disk.
func disk(t *testing.T) *source.Stored {
	t.Helper()
	text := "a,b,label\n"
	for i := range 1000 {
		text += fmt.Sprintf("%d,%d,%d\n", i, i*i, i%3)
	}
	path := filepath.Join(t.TempDir(), "some.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := source.Parse("csv:" + path + "?label=label&classes=3")
	if err != nil {
		t.Fatal(err)
	}
	s, err := source.OpenName(t.Context(), n, source.Options{Room: &source.Room{}})
	if err != nil {
		t.Fatal(err)
	}
	of, ok := s.(*source.Stored)
	if !ok || of.InMemory() {
		t.Fatalf("the examples are a %T", s)
	}
	t.Cleanup(func() { of.Close() })
	return of
}

// TestStoredIsReadWhenSent: rows for workers elsewhere are read from the file each time, and are no longer there after
// it was closed.
func TestStoredIsReadWhenSent(t *testing.T) {
	e := local.New(2, engine.Options{})
	defer e.Close()
	of := disk(t)
	some := of.Subset("some", 5, slices.Values([]int{7, 3, 1, 12, 900}))
	d, err := sendStored(e, some, 2)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for p, part := range d.rows.Plan().(engine.DriverRows).Partitions {
		if want := []int{3, 2}[p]; part.Len() != want || int64(want) != d.counts[p] {
			t.Errorf("partition %d has %d rows and the count %d, want %d", p, part.Len(), d.counts[p], want)
		}
		size += part.Size()
	}
	if all := of.Bytes() / int64(of.Objects()) * 5; size < all-5 || size > all+5 {
		t.Errorf("the size is %d, want about %d", size, all)
	}
	for range 2 {
		rows, err := d.rows.CollectAll(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for k, row := range rows {
			if want, err := some.ObjectRows(k); err != nil || !bytes.Equal(row.Bytes, want[0]) {
				t.Errorf("row %d differs (%v)", k, err)
			}
		}
	}
	if err := of.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.rows.CollectAll(t.Context()); err == nil {
		t.Error("rows of a closed file were read")
	}
}

// TestOnlyUsedExamplesAreMoved: the shuffled file has the examples of the used partitions, and none if a few are used.
func TestOnlyUsedExamplesAreMoved(t *testing.T) {
	of, seed := disk(t), uint64(4)
	n := of.Objects()
	a := engine.Assignment{Seed: &seed, Pieces: []engine.Piece{{From: n / 2, To: n}, {To: n / 2}}, Ends: []int{n / 4, n}}
	for used, want := range []int{0, n / 4, n} {
		o, ordered := orderOf(a, used)
		if o.Len() != want || ordered {
			t.Errorf("%d partitions: an order of %d examples, want %d; in order: %v", used, o.Len(), want, ordered)
		}
		listed, _ := orderOf(a.Listed(), used)
		if err := listed.Each(t.Context(), "", func(place, index int) error {
			if a.Listed().Index(place) != int64(index) {
				t.Fatalf("%d partitions: example %d is at place %d", used, index, place)
			}
			return nil
		}); err != nil || listed.Len() != want {
			t.Error(listed.Len(), err)
		}
	}
	if _, ordered := orderOf(engine.Assignment{Ends: []int{n}}, 1); !ordered {
		t.Error("examples in their order are out of order")
	}
	if few := 2; of.Shuffles(few) || !of.Shuffles(n) {
		t.Error("few examples are shuffled, or all are not")
	}
}
