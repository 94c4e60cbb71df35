package pipeline_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// pools holds the values of the columns of each kind in TestRemovesAll. There are few, so that conditions match them.
var pools = map[pipeline.ValueKind][]pipeline.Value{
	pipeline.TextKind: {pipeline.Text(""), pipeline.Text("a"), pipeline.Text("b"), pipeline.Text("bb"),
		pipeline.Text("3"), pipeline.Text("\xff")},
	pipeline.IntegerKind: {pipeline.Integer(-3), pipeline.Integer(0), pipeline.Integer(3), pipeline.Integer(7),
		pipeline.Integer(math.MaxInt32)},
	pipeline.LongKind: {pipeline.Long(-3), pipeline.Long(0), pipeline.Long(3), pipeline.Long(1 << 32),
		pipeline.Long(math.MaxInt64), pipeline.Long(math.MaxInt64 - 1)},
	pipeline.DoubleKind: {pipeline.Double(-3.5), pipeline.Double(math.Copysign(0, -1)), pipeline.Double(0),
		pipeline.Double(3), pipeline.Double(3.7), pipeline.Double(math.Inf(1)), pipeline.Double(math.NaN())},
	pipeline.FloatKind: {pipeline.Float(-3.5), pipeline.Float(0), pipeline.Float(float32(math.Copysign(0, -1))),
		pipeline.Float(3), pipeline.Float(7), pipeline.Float(float32(math.NaN()))},
	pipeline.BooleanKind: {pipeline.Boolean(false), pipeline.Boolean(true)},
}

// less orders the values of a kind, except for NaN.
func less(a, b pipeline.Value) bool {
	if a.IsText() {
		return a.String() < b.String()
	}
	if a.Kind() == pipeline.LongKind {
		x, _ := a.Long()
		y, _ := b.Long()
		return x < y
	}
	x, _ := a.Double()
	y, _ := b.Double()
	return x < y
}

// extentOf returns an extent that is true for a column of values, and often says less than it could.
func extentOf(r *rand.Rand, values []pipeline.Value) (e pipeline.Extent) {
	nulls, nans := 0, 0
	for _, v := range values {
		switch x, err := v.Double(); {
		case v.IsNull():
			nulls++
		case !v.IsText() && err == nil && x != x:
			nans++
		default:
			if e.Low.IsNull() || less(v, e.Low) {
				e.Low = v
			}
			if e.High.IsNull() || less(e.High, v) {
				e.High = v
			}
		}
	}
	tell := func(known bool) bool { return known && r.IntN(4) > 0 }
	e.NoNulls, e.NoNaN, e.AllNull = tell(nulls == 0), tell(nans == 0), tell(nulls == len(values))
	if r.IntN(6) == 0 || e.Low.IsNull() {
		e.Low, e.High = pipeline.Null(), pipeline.Null()
	}
	if pool := pools[e.Low.Kind()]; r.IntN(3) == 0 && pool != nil {
		if v := pool[r.IntN(len(pool))]; less(v, e.Low) {
			e.Low = v
		}
	}
	return e
}

// randomCondition returns a condition on the columns a, b and c.
func randomCondition(r *rand.Rand, depth int) pipeline.Condition {
	if depth > 0 && r.IntN(2) == 0 {
		kind := []pipeline.Logic{pipeline.And, pipeline.Or, pipeline.Not, pipeline.Xor}[r.IntN(4)]
		n := map[pipeline.Logic]int{pipeline.And: 1 + r.IntN(3), pipeline.Or: 1 + r.IntN(3), pipeline.Not: 1,
			pipeline.Xor: 2}[kind]
		c := pipeline.BooleanCondition{Type: kind}
		for range n {
			c.Conditions = append(c.Conditions, randomCondition(r, depth-1))
		}
		return c
	}
	name := []string{"a", "b", "c"}[r.IntN(3)]
	ops := []pipeline.Comparison{pipeline.Equal, pipeline.NotEqual, pipeline.InSet, pipeline.NotInSet, pipeline.LessThan,
		pipeline.LessOrEqual, pipeline.GreaterThan, pipeline.GreaterOrEqual}
	op := ops[r.IntN(len(ops))]
	pick := []float64{-3.5, -3, math.Copysign(0, -1), 0, 3, 3.7, 7, 1 << 20}
	x, y := pick[r.IntN(len(pick))], pick[r.IntN(len(pick))]
	texts := []string{"", "a", "aa", "b", "3", "-3.5", "NullWritable", "z"}
	s, u := texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]
	switch r.IntN(12) {
	case 0:
		return pipeline.IntegerCondition{Column: name, Op: op, Value: int32(x), Set: []int32{int32(x), int32(y)}}
	case 1:
		return pipeline.LongCondition{Column: name, Op: op, Value: math.MaxInt64, Set: []int64{int64(x), int64(y)}}
	case 2:
		return pipeline.TimeCondition{Column: name, Op: op, Value: int64(x), Set: []int64{int64(x), int64(y)}}
	case 3, 4:
		return pipeline.DoubleCondition{Column: name, Op: op, Value: x, Set: []float64{x, y, math.NaN()}}
	case 5:
		return pipeline.FloatCondition{Column: name, Op: op, Value: float32(x), Set: []float32{float32(x), float32(y)}}
	case 6:
		return pipeline.StringCondition{Column: name, Op: ops[r.IntN(4)], Value: s, Set: []string{s, u}}
	case 7:
		return pipeline.NullCondition{Column: name}
	case 8:
		return pipeline.NaNCondition{Column: name}
	case 9:
		return pipeline.InfiniteCondition{Column: name}
	case 10:
		return pipeline.RegexCondition{Column: name, Regex: "[a-z3]*"}
	}
	return pipeline.InvalidCondition{Column: name}
}

// randomFilters returns a pipeline of filters, and of steps that only move columns.
func randomFilters(r *rand.Rand, in pipeline.Schema) *pipeline.Pipeline {
	p := &pipeline.Pipeline{Initial: in}
	for range 1 + r.IntN(3) {
		switch r.IntN(5) {
		case 0:
			p.Steps = append(p.Steps, pipeline.ReorderColumns{Columns: []string{"c", "a"}})
		case 1:
			p.Steps = append(p.Steps, pipeline.RemoveInvalid{Columns: []string{"b"}})
		default:
			p.Steps = append(p.Steps, pipeline.RemoveWhere{Condition: randomCondition(r, 2)})
		}
	}
	return p
}

// randomColumns returns columns a, b and c with a few values each, of all kinds.
func randomColumns(r *rand.Rand, rows int) (in pipeline.Schema, columns [][]pipeline.Value) {
	kinds := []pipeline.ValueKind{pipeline.TextKind, pipeline.IntegerKind, pipeline.LongKind, pipeline.DoubleKind,
		pipeline.FloatKind, pipeline.BooleanKind}
	for _, name := range []string{"a", "b", "c"} {
		kind := kinds[r.IntN(len(kinds))]
		some := pools[kind]
		from := r.IntN(len(some))
		some = some[from : from+1+r.IntN(len(some)-from)]
		low := 3.0
		in.Columns = append(in.Columns, map[pipeline.ValueKind]pipeline.Column{
			pipeline.TextKind: pipeline.StringColumn{Name: name}, pipeline.IntegerKind: pipeline.IntegerColumn{Name: name},
			pipeline.LongKind:   pipeline.LongColumn{Name: name},
			pipeline.DoubleKind: pipeline.DoubleColumn{Name: name, Min: &low},
			pipeline.FloatKind:  pipeline.FloatColumn{Name: name}, pipeline.BooleanKind: pipeline.BooleanColumn{Name: name},
		}[kind])
		column := make([]pipeline.Value, rows)
		nulls := r.IntN(4)
		for i := range column {
			if column[i] = some[r.IntN(len(some))]; nulls == 0 && r.IntN(2) == 0 {
				column[i] = pipeline.Null()
			}
		}
		columns = append(columns, column)
	}
	return in, columns
}

// TestRemovesAll: if the extents of columns say that all rows are removed, the pipeline removes each row without an
// error. If they allow only one value in each column, they say so whenever all rows are removed.
func TestRemovesAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	said, certain := 0, 0
	for range 60_000 {
		rows := 1 + r.IntN(4)
		in, columns := randomColumns(r, rows)
		p := randomFilters(r, in)
		plan, err := p.Bind()
		if err != nil {
			t.Fatal(err)
		}
		removed := true
		for i := range rows {
			run := plan.Start(func(pipeline.Item) error { removed = false; return nil })
			if run.Push(pipeline.Item{Row: pipeline.Row{columns[0][i], columns[1][i], columns[2][i]}}) != nil {
				removed = false
			}
		}
		extents, single := make([]pipeline.Extent, 3), rows == 1
		for k, column := range columns {
			extents[k] = extentOf(r, column)
			x, err := column[0].Double()
			single = single && (err != nil || x == x && x != 0)
		}
		if plan.RemovesAll(extents) {
			said++
			if !removed {
				t.Fatalf("%+v\n%v\n%+v: not all rows are removed", p.Steps, columns, extents)
			}
		}
		if !single {
			continue
		}
		for k, column := range columns {
			v := column[0]
			extents[k] = pipeline.Extent{Low: v, High: v, NoNulls: !v.IsNull(), NoNaN: true, AllNull: v.IsNull()}
		}
		if certain++; plan.RemovesAll(extents) != removed {
			t.Fatalf("%+v\n%v: all rows are removed: %v", p.Steps, columns, removed)
		}
	}
	if said < 5000 || certain < 5000 {
		t.Errorf("%d stretches are removed, %d are known to the value", said, certain)
	}
}

// TestRemovesAllStops: after a step that may fail, or that changes values, no row is certainly removed.
func TestRemovesAllStops(t *testing.T) {
	in := pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "n"}, pipeline.StringColumn{Name: "s"}}}
	known := []pipeline.Extent{{Low: pipeline.Long(1), High: pipeline.Long(4), NoNulls: true}, {}}
	low := pipeline.RemoveWhere{Condition: pipeline.LongCondition{Column: "n", Op: pipeline.LessThan, Value: 9}}
	text := pipeline.RemoveWhere{Condition: pipeline.LongCondition{Column: "s", Op: pipeline.LessThan, Value: 9}}
	null := pipeline.RemoveWhere{Condition: pipeline.NullCondition{Column: "s"}}
	change := pipeline.LongMath{Column: "n", Op: pipeline.Add, Scalar: 1}
	for _, c := range []struct {
		steps   []pipeline.Step
		removes bool
	}{
		{[]pipeline.Step{low}, true},
		{[]pipeline.Step{&low}, true},
		{[]pipeline.Step{null, low}, true},
		{[]pipeline.Step{text, low}, false},
		{[]pipeline.Step{pipeline.RenameColumns{OldNames: []string{"s"}, NewNames: []string{"u"}}, low}, true},
		{[]pipeline.Step{pipeline.RemoveColumns{Columns: []string{"s"}}, low}, true},
		{[]pipeline.Step{pipeline.DuplicateColumns{Columns: []string{"s"}, NewNames: []string{"u"}}, low}, true},
		{[]pipeline.Step{change, low}, false},
	} {
		plan, err := (&pipeline.Pipeline{Initial: in, Steps: c.steps}).Bind()
		if err != nil {
			t.Fatal(err)
		}
		if plan.RemovesAll(known) != c.removes {
			t.Errorf("%+v: want %v", c.steps, c.removes)
		}
	}
}
