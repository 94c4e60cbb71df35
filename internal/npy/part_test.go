package npy

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestParts: rows are the same whether they are read from the whole file or from pieces of it, in either order of the
// elements.
func TestParts(t *testing.T) {
	elements := make([]byte, 4*7*3)
	for i := range elements {
		elements[i] = byte(i%16 + 60)
	}
	for _, fortran := range []string{"False", "True"} {
		file := typed(1, "<f4", fortran, "7, 3", elements)
		want, err := read(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		p, err := ReadHead(file[:100])
		if err != nil {
			t.Fatal(err)
		}
		for from := range 7 {
			for to := from + 1; to <= 7; to++ {
				begin, end := p.Cut(from, to)
				if end < 0 {
					end = int64(len(file))
				}
				r, err := p.Reader(file[begin:end], from, to)
				if err != nil {
					t.Fatal(err)
				}
				var got []float32
				for n := range to - from {
					rows, err := r.Rows(1)
					if err != nil {
						t.Fatalf("row %d: %v", from+n, err)
					}
					got = append(got, rows.Data...)
				}
				if !slices.Equal(got, want.Slice(from, to).Data) {
					t.Errorf("fortran %s: rows %d to %d: %v", fortran, from, to, got)
				}
				if _, err := p.Reader(file[begin:end-1], from, to); err == nil {
					t.Error("a byte is missing, and nothing says so")
				}
			}
		}
	}
	for _, head := range []string{"", "no array", string(typed(1, "<f4", "False", "9223372036854775807, 9"))} {
		if _, err := ReadHead([]byte(head)); err == nil {
			t.Errorf("%.20q is the head of an array", head)
		}
	}
	if _, err := ReadHead(typed(1, "<f4", "False", "1, "+strings.Repeat("1, ", 3))); err != nil {
		t.Error(err)
	}
}
