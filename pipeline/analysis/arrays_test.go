package analysis_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// ofArrays profiles rows with an array each, in two partitions that are merged by their bytes.
func ofArrays(t *testing.T, values []pipeline.Value) *analysis.Table {
	t.Helper()
	schema := &pipeline.Schema{Columns: []pipeline.Column{pipeline.ArrayColumn{Name: "v", Shape: []int64{-1}}}}
	var all *analysis.Profiler
	for k := range 2 {
		p, err := analysis.NewProfiler(schema, analysis.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := k * len(values) / 2; i < (k+1)*len(values)/2; i++ {
			row := pipeline.Item{Row: pipeline.Row{values[i]}}
			if err := p.Add(row, func() string { return fmt.Sprint("row ", i) }); err != nil {
				t.Fatal(err)
			}
		}
		b, err := p.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		next, _ := analysis.NewProfiler(schema, analysis.InferOptions{})
		if err := next.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if all == nil {
			all = next
		} else {
			all.Merge(next)
		}
	}
	return all.Table()
}

// TestArrays: arrays of one shape are features, standardised together. Others are refused with advice.
func TestArrays(t *testing.T) {
	array := func(x ...float64) pipeline.Value {
		return pipeline.ArrayOf(&pipeline.Array{Shape: []int{len(x)}, Data: x})
	}
	rows := func(odd ...pipeline.Value) (all []pipeline.Value) {
		for i := range 8 {
			all = append(all, array(float64(i), float64(-i), 4))
		}
		return append(all, odd...)
	}
	for _, c := range []struct {
		values []pipeline.Value
		how    analysis.Missing
		want   string
	}{
		{rows(), "", "arrays, 3 numbers each, standardised together (mean 1.3333, deviation "},
		{rows(pipeline.Null()), "", "1 gap among arrays; leave the rows out with Missing: drop, or leave the column out"},
		{rows(pipeline.Null()), analysis.MissingDrop, "arrays, 3 numbers each, standardised together"},
		{rows(array(1, 2), array(1)), "", "different shapes, [3] at row 0 and [2] at row 8; pad or cut them"},
		{append([]pipeline.Value{array(1, 2)}, rows()...), "", "different shapes, [2] at row 0 and [3] at row 1"},
		{rows(array(1, 2, math.NaN())), "", "1 number in arrays that are missing or infinite; fill"},
		{rows(pipeline.Text("x")), "", "arrays, and 1 value that are none"},
		{[]pipeline.Value{array(1, 1), array(1, 1)}, "", "all numbers of the arrays are the same, left out"},
		{[]pipeline.Value{pipeline.Bytes([]byte("x")), pipeline.Bytes(nil)}, "", "bytes are no features"},
	} {
		table := ofArrays(t, c.values)
		p, err := analysis.Propose(table, analysis.Options{Missing: c.how})
		if p == nil {
			p = &analysis.Proposal{}
		}
		text := fmt.Sprint(p.Columns, err)
		if !strings.Contains(text, c.want) {
			t.Errorf("%s, want %q", text, c.want)
		}
		if p.Pipeline == nil {
			continue
		}
		plan, err := p.Pipeline.Bind()
		if err != nil {
			t.Fatal(err)
		}
		n, sum := 0, 0.0
		run := plan.Start(func(i pipeline.Item) error {
			for _, x := range i.Row[0].Array().Data {
				n, sum = n+1, sum+x
			}
			return nil
		})
		for _, v := range c.values {
			if err := run.Push(pipeline.Item{Row: pipeline.Row{v}}); err != nil {
				t.Fatal(err)
			}
		}
		if n != 24 || math.Abs(sum) > 1e-12 {
			t.Errorf("%d numbers with the sum %v come out", n, sum)
		}
	}
}
