package data

import (
	"bytes"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// expanded returns the decoded form of a compact example, without encoding it.
func expanded(c Compact) *MultiDataSet {
	x := tensor.New(append([]int{1}, c.Shape...)...)
	for i, v := range c.Pixels {
		x.Data[i] = float32(v) / c.Divisor
	}
	m := &MultiDataSet{Features: []*tensor.Dense{x}, Meta: c.Meta, LabelNames: c.LabelNames}
	if c.Classes > 0 {
		y := tensor.New(1, c.Classes)
		y.Data[c.Class] = 1
		m.Labels = []*tensor.Dense{y}
	}
	return m
}

// TestCompact: rows of pixels and classes are decoded correctly, alone, together, and beside other rows.
func TestCompact(t *testing.T) {
	names := []string{"a", "b", "c"}
	example := func(k int) Compact {
		return Compact{Shape: tensor.Shape{1, 2, 3}, Pixels: []uint8{0, 1, 255, byte(k), 128, 7}, Divisor: 255, Class: k % 3,
			Classes: 3}
	}
	with := func(change func(c *Compact)) func(int) Compact {
		return func(k int) Compact {
			c := example(k)
			change(&c)
			return c
		}
	}
	for name, of := range map[string]func(k int) Compact{
		"plain":      example,
		"vector":     with(func(c *Compact) { c.Shape = tensor.Shape{6} }),
		"as bytes":   with(func(c *Compact) { c.Divisor = 1 }),
		"unlabelled": with(func(c *Compact) { c.Class, c.Classes = 0, 0 }),
		"names":      with(func(c *Compact) { c.LabelNames = names }),
		"keys":       with(func(c *Compact) { c.Meta = names[c.Class : c.Class+1] }),
		"divisors":   with(func(c *Compact) { c.Divisor = float32(1 + c.Class) }),
		"classes":    with(func(c *Compact) { c.Classes = 4 }),
	} {
		var rows, floats [][]byte
		for k := range 5 {
			c := of(k)
			rows, floats = append(rows, c.AppendTo([]byte("before"))[6:]), append(floats, AppendRow(nil, expanded(c)))
			if m, err := DecodeRow(rows[k]); err != nil || !bytes.Equal(AppendRow(nil, m), floats[k]) {
				t.Errorf("%s: example %d is another one (%v)", name, k, err)
			}
		}
		if 2*len(rows[0]) > 3*len(floats[0]) {
			t.Errorf("%s: %d bytes, and %d as floats", name, len(rows[0]), len(floats[0]))
		}
		for what, of := range map[string][2][][]byte{
			"all": {rows, floats}, "one": {rows[:1], floats[:1]},
			"mixed": {{rows[0], floats[1], rows[2]}, floats[:3]}, "floats first": {{floats[0], rows[1]}, floats[:2]},
		} {
			got, err := DecodeRows(of[0])
			want, wantErr := DecodeRows(of[1])
			if err != nil || wantErr != nil || !bytes.Equal(AppendRow(nil, got), AppendRow(nil, want)) {
				t.Errorf("%s, %s: the minibatch is another one (%v, %v)", name, what, err, wantErr)
			}
		}
	}
}

// TestCompactDamage: truncated and changed rows are errors or other examples, and don't panic.
func TestCompactDamage(t *testing.T) {
	c := Compact{Shape: tensor.Shape{2, 2}, Pixels: []uint8{1, 2, 3, 4}, Divisor: 255, Class: 1, Classes: 2,
		Meta: []string{"k"}, LabelNames: []string{"a", "b"}}
	row := c.AppendTo(nil)
	for n := range row {
		if _, err := DecodeRow(row[:n]); err == nil {
			t.Errorf("%d of %d bytes are a row", n, len(row))
		}
		for _, v := range []byte{0, 1, 3, 127, 254, 255} {
			other := bytes.Clone(row)
			other[n] = v
			DecodeRow(other)
			DecodeRows([][]byte{row, other})
			DecodeRows([][]byte{other, row})
		}
	}
	c.Class = 2
	if _, err := DecodeRow(c.AppendTo(nil)); err == nil {
		t.Error("class 2 of 2 is decoded")
	}
}
