package stored

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/tensor"
)

// narrow returns an example of a narrow table.
func narrow(i, columns, classes int, key string) *data.MultiDataSet {
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, columns)},
		Labels: []*tensor.Dense{tensor.New(1, classes)}, LabelNames: []string{"yes", "no", "perhaps"}[:classes]}
	for k := range columns {
		m.Features[0].Data[k] = float32(i*columns + k)
	}
	m.Labels[0].Data[i%classes] = 1
	if key != "" {
		m.Meta = []string{key}
	}
	return m
}

// TestForms checks that rows come back as they were, in memory and on disk, whichever forms they have, and that rows of
// one form take no more than their elements.
func TestForms(t *testing.T) {
	row := func(i int) []byte { return data.AppendRow(nil, narrow(i, 5, 3, "")) }
	class := func(i int) []byte { return data.ClassRow(narrow(i, 5, 3, ""), i%3) }
	for name, c := range map[string]struct {
		row  func(i int) []byte
		size int // 0: rows in full
	}{
		"numbers": {row, 32},
		"classes": {class, 24},
		"wide":    {row: func(i int) []byte { return data.AppendRow(nil, narrow(i, 784, 3, "")) }},
		"keys":    {row: func(i int) []byte { return data.AppendRow(nil, narrow(i, 5, 3, fmt.Sprint(i))) }},
		"another form later": {row: func(i int) []byte {
			if i < 700 {
				return row(i)
			}
			return class(i)
		}},
		"other names later": {row: func(i int) []byte {
			m := narrow(i, 5, 3, "")
			if i == 999 {
				m.LabelNames = []string{"yes", "no", "never..."}
			}
			return data.AppendRow(nil, m)
		}},
	} {
		for _, memory := range []int64{0, 10_000, 1 << 20} {
			t.Run(fmt.Sprintf("%s, %d", name, memory), func(t *testing.T) {
				w, err := NewWriter(Options{Memory: memory, Dir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				const n = 1000
				for i := range n {
					if err := w.Add(c.row(i)); err != nil {
						t.Fatal(err)
					}
				}
				r, err := w.Finish()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				if c.size > 0 && r.Bytes() != int64(n*c.size) || c.size == 0 && r.Bytes() < n*50 {
					t.Errorf("the file has %d bytes", r.Bytes())
				}
				checkRows(t, r, n, c.row)
			})
		}
	}
}

// checkRows reads rows one by one, together, by a reference, and shuffled.
func checkRows(t *testing.T, r *Rows, n int, want func(i int) []byte) {
	t.Helper()
	reference, err := r.Reference(nil, nil, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	referred, err := Open(reference)
	if err != nil {
		t.Fatal(err)
	}
	defer referred.Close()
	all, order := [][]byte(nil), random.Permutation(3, n)
	if err := r.View(n, func(k int) int { return order[k] }, func(rows [][]byte) error {
		for _, row := range rows {
			all = append(all, bytes.Clone(row))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		one, err := r.At(i)
		other, err2 := referred.At(i)
		if err != nil || err2 != nil || !bytes.Equal(one, want(i)) || !bytes.Equal(other, one) ||
			!bytes.Equal(all[i], want(order[i])) {
			t.Fatalf("row %d is another one (%v, %v)", i, err, err2)
		}
	}
	if r.layout.Stride == 0 || r.memory {
		return
	}
	var numbers Numbers
	for _, i := range order {
		numbers = append(numbers, int64(i))
	}
	shuffled, err := r.Shuffle(context.Background(), numbers)
	if err != nil {
		t.Fatal(err)
	}
	defer shuffled.Close()
	for k, i := range order {
		if got, err := shuffled.At(k); err != nil || !bytes.Equal(got, want(i)) {
			t.Fatalf("place %d of the shuffled rows has another one (%v)", k, err)
		}
	}
}

// TestRecode checks that numbers of classes become classes in place, in memory and on disk.
func TestRecode(t *testing.T) {
	number := func(i int) []byte {
		m := narrow(i, 5, 3, "")
		m.Labels, m.LabelNames = []*tensor.Dense{tensor.MustOf([]float32{float32(i % 3)}, 1, 1)}, nil
		return data.AppendRow(nil, m)
	}
	for _, memory := range []int64{0, 1 << 20} {
		w, err := NewWriter(Options{Memory: memory, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		const n = 100_000 // more than one block
		for i := range n {
			if err := w.Add(number(i)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for i := range 3 { // the block that is read ahead must not stay
			if _, err := r.At(i); err != nil {
				t.Fatal(err)
			}
		}
		like := data.ClassRow(narrow(0, 5, 3, ""), 0)
		i := 0
		done, err := r.Recode(like, func(e []byte) error {
			copy(e[20:], []byte{byte(i % 3), 0, 0, 0})
			i++
			return nil
		})
		if !done || err != nil || i != n {
			t.Fatalf("%d of %d rows are changed: %v, %v", i, n, done, err)
		}
		for _, k := range []int{0, 1, 43_690, 43_691, n - 1} {
			got, err := r.At(k)
			if err != nil || !bytes.Equal(got, data.ClassRow(narrow(k, 5, 3, ""), k%3)) {
				t.Errorf("row %d is another one (%v)", k, err)
			}
		}
		if done, err := r.Recode(number(0)[:10], nil); done || err != nil {
			t.Errorf("rows became damaged ones: %v", err)
		}
		if r.mapped != nil {
			continue
		}
		if err := r.file.Truncate(r.bytes - 1); err != nil {
			t.Fatal(err)
		}
		if done, err := r.Recode(like, func([]byte) error { return nil }); done || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a file that lacks a byte: %v, %v", done, err)
		}
	}
}
