package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/fingerprint"
	"github.com/dl4go/dl4go/pipeline"
)

// TestHashValue: known values have their numbers, and others those of buckets. Numbers are hashed by their digits.
func TestHashValue(t *testing.T) {
	text := pipeline.HashValue{Column: "t", Buckets: 5, First: 2, Known: []string{"red", ""}, Numbers: []int{9, 0}}
	long := pipeline.HashValue{Column: "l", Buckets: 1000, Key: []int64{3, -4}}
	real := pipeline.HashValue{Column: "d", Buckets: 1000, Known: []string{"7"}, Numbers: []int{12}}
	p := pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.StringColumn{Name: "t"},
		pipeline.LongColumn{Name: "l"}, pipeline.DoubleColumn{Name: "d"}}}, Steps: []pipeline.Step{text, long, real}}
	key := [2]uint64{3, 1<<64 - 4}
	var items []pipeline.Item
	var want []string
	for _, c := range []struct {
		t    string
		l    pipeline.Value
		d    pipeline.Value
		text any // nil: hashed
		digs string
		real any
		cut  string
	}{
		{"red", pipeline.Long(1 << 60), pipeline.Double(7.9), 9, "1152921504606846976", 12, ""},
		{"", pipeline.Long(-3), pipeline.Double(-2.7), 0, "-3", nil, "-2"},
		{"green", pipeline.Text("42"), pipeline.Text("1e3"), nil, "42", nil, "1000"},
	} {
		items = append(items, pipeline.Item{Row: pipeline.Row{pipeline.Text(c.t), c.l, c.d}})
		if c.text == nil {
			c.text = 2 + fingerprint.Farm(c.t)%5
		}
		if c.real == nil {
			c.real = fingerprint.Farm(c.cut) % 1000
		}
		want = append(want, fmt.Sprintf("[%v %v %v]", c.text, fingerprint.Sip(key, c.digs)%1000, c.real))
	}
	if got, err := runItems(t, p, items...); err != nil || got != strings.Join(want, " ") {
		t.Errorf("%s, %v; want %v", got, err, want)
	}
	gap := pipeline.Item{Row: pipeline.Row{pipeline.Null(), pipeline.Long(1), pipeline.Double(1)}}
	if _, err := runItems(t, p, gap); err == nil || !strings.Contains(err.Error(), "a value to hash") {
		t.Errorf("a gap: %v", err)
	}
	for want, s := range map[string]pipeline.HashValue{
		"0 buckets":  {Column: "t"},
		"first":      {Column: "t", Buckets: 1, First: -1},
		"key":        {Column: "t", Buckets: 1, Key: []int64{1}},
		"1 known":    {Column: "t", Buckets: 1, Known: []string{"a"}},
		"the number": {Column: "t", Buckets: 1, Known: []string{"a"}, Numbers: []int{-1}},
		"no column":  {Column: "x", Buckets: 1},
	} {
		if _, err := s.Bind(&p.Initial); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: it should say %s", err, want)
		}
	}
}
