package pipeline_test

import (
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// fuzzValues are the rows of the fuzzer: each column has each of these values once.
var fuzzValues = []pipeline.Value{
	pipeline.Text("1"), pipeline.Text(""), pipeline.Text("a b"), pipeline.Text("2018-01-02 03:04:05"), pipeline.Null(),
	pipeline.Integer(-1), pipeline.Long(1 << 40), pipeline.Double(0.5), pipeline.Float(-0.5), pipeline.Boolean(true),
	pipeline.Bytes([]byte{0, 255}), pipeline.ArrayOf(&pipeline.Array{Shape: []int{2}, Data: []float64{1, -2}}),
}

// FuzzPipeline: no file makes Parse, Bind or a run panic. A pipeline that was read is the same after writing and
// reading.
func FuzzPipeline(f *testing.F) {
	z := oracle(f, "transform")
	for _, name := range cases(z) {
		f.Add(content(f, z, "transform/"+name+"/transform.json"))
	}
	for _, step := range steps {
		f.Add([]byte(stepJSON(step)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := pipeline.Parse(text)
		if err != nil {
			return
		}
		written, err := p.JSON()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := pipeline.Parse(written)
		if err != nil || !samePipeline(p, again) {
			t.Fatalf("it is not read as it was written: %v\n%s", err, written)
		}
		plan, err := p.Bind()
		if err != nil {
			return
		}
		runAnything(t, plan)
	})
}

// runAnything pushes rows, or sequences of them, through a plan. Few of their values fit.
func runAnything(t *testing.T, plan *pipeline.Plan) {
	if plan.Width() > 10_000 {
		return
	}
	width := 0
	run := plan.Start(func(i pipeline.Item) error {
		rows := i.Sequence
		if !plan.Out().Sequence {
			rows = []pipeline.Row{i.Row}
		}
		for _, r := range rows {
			if width = len(r); width != len(plan.Out().Columns) {
				t.Fatalf("%d values for %d columns", width, len(plan.Out().Columns))
			}
		}
		return nil
	})
	var sequence []pipeline.Row
	for i := range fuzzValues {
		row := make(pipeline.Row, len(plan.In().Columns))
		for k := range row {
			row[k] = fuzzValues[(i+k)%len(fuzzValues)]
		}
		sequence = append(sequence, row)
	}
	if plan.In().Sequence {
		run.Push(pipeline.Item{Sequence: sequence})
		run.Push(pipeline.Item{Sequence: []pipeline.Row{}})
	} else {
		for _, row := range sequence {
			run.Push(pipeline.Item{Row: row})
		}
	}
	run.Close()
}

// FuzzValue: no text makes a conversion panic. A valid number is converted, and its printed form can be read again.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"", "1", "-1e3", "0x1F", "+NaN", "Infinity", " 5 ",
		"١٢", "1_0", "0x1p3", "1d", "- 1", "\x00", "é"} {
		f.Add(s)
	}
	columns := []pipeline.Column{pipeline.IntegerColumn{Name: "i"}, pipeline.LongColumn{Name: "l"},
		pipeline.DoubleColumn{Name: "d"}, pipeline.FloatColumn{Name: "f"}, pipeline.TimeColumn{Name: "t", Zone: "UTC"}}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range columns {
			v, err := c.Convert(pipeline.Text(s))
			if c.Valid(pipeline.Text(s)) && err != nil {
				t.Errorf("%q is valid for %s, and not converted: %v", s, c.Type(), err)
			}
			if err != nil {
				continue
			}
			again, err := c.Convert(pipeline.Text(v.String()))
			if err != nil || again != v && v.String() != again.String() {
				t.Errorf("%s: %q gives %v, printed and read again %v, %v", c.Type(), s, v, again, err)
			}
		}
		pipeline.BooleanColumn{}.Convert(pipeline.Text(s))
	})
}
