package engine

import (
	"bytes"
	"math"
	"reflect"
	"testing"
)

func TestRank(t *testing.T) {
	for kind, rank := range map[string]int{"int": 0, "boolean": 0, "decimal(10,2)": 0, "array<float>": 1,
		"array<decimal(3,1)>": 1, "ARRAY<array<double>>": 2,
		"vector": 1, "string": -1, "array<string>": -1, "array<vector>": -1, "map<int,int>": -1, "struct<a:array<int>>": -1,
		"date": -1, "void": -1, "": -1} {
		if got := (Column{Type: kind}).Rank(); got != rank {
			t.Errorf("%s has rank %d, wanted %d", kind, got, rank)
		}
	}
	for kind, plain := range map[string]bool{"int": true, "decimal(10,2)": true, "string": true, "binary": true,
		"timestamp_ntz": true, "array<int>": false, "void": false,
		"decimal(10, 2)": true, "decimal": true, "decimal(10,2)) FROM t": false, "int(": false, "decimal(x)": false} {
		if got := (Column{Type: kind}).Plain(); got != plain {
			t.Errorf("%s is plain: %v", kind, got)
		}
	}
}

func TestCells(t *testing.T) {
	cells := []Cell{{Text: []byte("a\tb\n")}, {}, {Text: []byte{}}, {Shape: []int{}, Numbers: []float32{-1.5}},
		{Shape: []int{2, 1}, Numbers: []float32{1, float32(math.Inf(1))}}, {Shape: []int{0}, Numbers: []float32{}}}
	row := rowOf(cells)
	got, err := Cells(row)
	if err != nil || !reflect.DeepEqual(got, cells) {
		t.Fatalf("%#v, error %v", got, err)
	}
	whole := map[int]bool{0: true}
	for i := range cells {
		whole[len(rowOf(cells[:i+1]))] = true
	}
	for n := range row {
		if _, err := Cells(row[:n]); (err == nil) != whole[n] {
			t.Errorf("the first %d bytes: error %v", n, err)
		}
	}
}

func rowOf(cells []Cell) (row []byte) {
	for _, c := range cells {
		if c.Shape != nil {
			row = AppendNumbers(row, c.Shape, c.Numbers)
		} else {
			row = AppendText(row, c.Text)
		}
	}
	return row
}

func FuzzCells(f *testing.F) {
	f.Add(AppendText(AppendNumbers(nil, []int{2}, []float32{1, 2}), []byte("x")))
	f.Add([]byte{'n', 3, 255, 255, 255, 255, 15, 255, 255, 255, 15, 2})
	f.Fuzz(func(t *testing.T, row []byte) {
		cells, err := Cells(row)
		if err != nil {
			return
		}
		again := rowOf(cells)
		if back, err := Cells(again); err != nil || len(back) != len(cells) || len(again) > len(row) &&
			!bytes.Equal(again, row) {
			t.Errorf("%x became %x, error %v", row, again, err)
		}
	})
}
