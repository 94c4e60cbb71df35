package distributed

import (
	"errors"
	"io"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
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
		if b.in.of == nil {
			t.Fatal("no file is open before the end")
		}
		return b
	}
	early := open(4)
	if err := early.Close(); err != nil || early.in.of != nil {
		t.Errorf("after Close: %v, open: %v", err, early.in.of != nil)
	}
	if _, err := early.Next(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Next after Close: %v", err)
	}
	for to, want := range map[int]error{4: io.EOF, 5: nil} {
		b := open(to)
		for err = nil; err == nil; {
			_, err = b.Next()
		}
		if want != nil && err != want || want == nil && err == io.EOF || b.in.of != nil {
			t.Errorf("%d rows: %v, open: %v", to, err, b.in.of != nil)
		}
	}
}
