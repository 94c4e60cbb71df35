package pipeline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// fill makes a batch of rows, with columns of one kind in the form of files. Texts may be entries of dictionaries.
func fill(b *pipeline.Batch, rows []pipeline.Row, dictionaries dictionaries) {
	b.Reset(len(rows[0]), len(rows))
	for c := range rows[0] {
		values, texts, reals := []pipeline.Value{}, []string{}, []float64{}
		integers, nulls, kind, same, gaps := []int64{}, []int32{}, pipeline.NullKind, true, []int32(nil)
		for i, row := range rows {
			v := row[c]
			if v.IsNull() {
				nulls, gaps = append(nulls, 0), append(gaps, int32(i))
			} else {
				if kind == pipeline.NullKind {
					kind = v.Kind()
				}
				nulls, same = append(nulls, -1), same && v.Kind() == kind
			}
			x, _ := v.Double()
			n, _ := v.Long()
			values, texts = append(values, v), append(texts, v.String())
			reals, integers = append(reals, x), append(integers, n)
		}
		switch {
		case !same:
			b.SetValues(c, values)
		case kind == pipeline.TextKind:
			b.SetTexts(c, textsOf(texts))
			if dictionaries != nil {
				b.SetDictionary(c, dictionaries[c].Dictionary, dictionaries[c].entries(rows, c))
			}
		case dictionaries != nil && dictionaries[c].numbers(kind) != nil:
			b.SetEntries(c, dictionaries[c].numbers(kind), dictionaries[c].entries(rows, c))
		case kind == pipeline.DoubleKind, kind == pipeline.FloatKind:
			b.SetReals(c, kind, reals)
		case kind == pipeline.IntegerKind, kind == pipeline.LongKind, kind == pipeline.BooleanKind:
			b.SetIntegers(c, kind, integers)
		default:
			b.SetValues(c, values)
			gaps = nil
		}
		if same && gaps != nil {
			b.SetNulls(c, gaps, nulls)
		}
	}
}

// textsOf returns texts in one block of memory.
func textsOf(list []string) pipeline.Texts {
	all, spans := "", make([]pipeline.Span, len(list))
	for i, text := range list {
		spans[i] = pipeline.Span{From: uint32(len(all)), To: uint32(len(all) + len(text))}
		all += text
	}
	return pipeline.TextsOf(all, spans)
}

// dictionaries are those of the columns of a file.
type dictionaries []dictionary

type dictionary struct {
	*pipeline.Dictionary
	texts    []string
	values   []pipeline.Value // of numbers
	integers *pipeline.Dictionary
	reals    *pipeline.Dictionary
}

// numbers returns the dictionary of a column of numbers of one kind, or nil.
func (d dictionary) numbers(kind pipeline.ValueKind) *pipeline.Dictionary {
	if len(d.values) == 0 || d.values[0].Kind() != kind {
		return nil
	}
	if d.integers != nil {
		return d.integers
	}
	return d.reals
}

// ofNumbers adds the numbers that rows have in a column, if they are of one kind.
func (d *dictionary) ofNumbers(items []pipeline.Item, column int, r *rand.Rand) {
	for _, i := range items {
		if column >= len(i.Row) || i.Row[column].IsNull() {
			continue
		}
		v := i.Row[column]
		if len(d.values) > 0 && v.Kind() != d.values[0].Kind() {
			d.values = nil
			return
		}
		if !slices.ContainsFunc(d.values, func(of pipeline.Value) bool { return sameNumber(of, v) }) {
			d.values = append(d.values, v)
		}
	}
	if len(d.values) == 0 {
		return
	}
	r.Shuffle(len(d.values), func(i, k int) { d.values[i], d.values[k] = d.values[k], d.values[i] })
	var integers []int64
	var reals []float64
	for _, v := range d.values {
		n, _ := v.Long()
		x, _ := v.Double()
		integers, reals = append(integers, n), append(reals, x)
	}
	switch kind := d.values[0].Kind(); kind {
	case pipeline.IntegerKind, pipeline.LongKind:
		d.integers = pipeline.NewIntegers(kind, integers)
	case pipeline.DoubleKind, pipeline.FloatKind:
		d.reals = pipeline.NewReals(kind, reals)
	default:
		d.values = nil
	}
}

// dictionariesOf returns dictionaries of the texts in rows. They have other texts, too, in an order that depends on a
// seed.
func dictionariesOf(items []pipeline.Item, seed uint64) (all dictionaries) {
	r := rand.New(rand.NewPCG(seed, 8))
	for c := range items[0].Row {
		texts := []string{"in no row", ""}
		for _, i := range items {
			if c < len(i.Row) && i.Row[c].IsText() && !slices.Contains(texts, i.Row[c].String()) {
				texts = append(texts, i.Row[c].String())
			}
		}
		r.Shuffle(len(texts), func(i, k int) { texts[i], texts[k] = texts[k], texts[i] })
		d := dictionary{Dictionary: pipeline.NewDictionary(textsOf(texts)), texts: texts}
		d.ofNumbers(items, c, r)
		all = append(all, d)
	}
	return all
}

// entries returns the entries of a column's cells; −1 for nulls.
func (d dictionary) entries(rows []pipeline.Row, column int) (list []int32) {
	for _, row := range rows {
		k := -1
		switch v := row[column]; {
		case len(d.values) > 0:
			k = max(slices.IndexFunc(d.values, func(of pipeline.Value) bool { return sameNumber(of, v) }), 0)
		case !v.IsNull():
			k = slices.Index(d.texts, v.String())
		}
		list = append(list, int32(k))
	}
	return list
}

// sameNumber reports whether two numbers have the same bits.
func sameNumber(a, b pipeline.Value) bool {
	x, _ := a.Double()
	y, _ := b.Double()
	return a.String() == b.String() && math.Float64bits(x) == math.Float64bits(y)
}

// checkBatches runs rows through a plan in batches. It compares the results with those of a Run on them one by one
// until the first error.
func checkBatches(t *testing.T, plan *pipeline.Plan, items []pipeline.Item, want []string, failed error) {
	t.Helper()
	if plan.StartBatches() == nil || len(items) == 0 {
		return
	}
	checkBatchesOf(t, plan, items, want, failed, nil)
	checkBatchesOf(t, plan, items, want, failed, []dictionaries{dictionariesOf(items, 1), dictionariesOf(items, 2)})
}

// checkBatchesOf is checkBatches for texts of these dictionaries, in turns of five batches, or of none.
func checkBatchesOf(t *testing.T, plan *pipeline.Plan, items []pipeline.Item, want []string, failed error,
	of []dictionaries) {
	t.Helper()
	run := plan.StartBatches()
	for _, size := range []int{len(items), 3, 1} {
		var got []string
		var err error
		for at := 0; at < len(items) && err == nil; at += size {
			var rows []pipeline.Row
			for _, i := range items[at:min(at+size, len(items))] {
				if len(i.Row) != len(plan.In().Columns) {
					return
				}
				rows = append(rows, i.Row)
			}
			var in pipeline.Batch
			var texts dictionaries
			if of != nil {
				texts = of[at/size/5%2]
			}
			fill(&in, rows, texts)
			var out *pipeline.Batch
			if out, err = run.Run(&in); err != nil {
				break
			}
			for i := range out.Rows() {
				got = append(got, fmt.Sprint(out.AppendRow(nil, i)))
			}
			checkFloats(t, out)
			for i, row := range rows {
				if back := in.AppendRow(nil, i); fmt.Sprint(back) != fmt.Sprint(row) {
					t.Fatalf("row %d is %v, and was %v before the run", i, back, row)
				}
			}
		}
		if (err != nil) != (failed != nil) {
			t.Fatalf("batches of %d rows: %v; one by one: %v", size, err, failed)
		}
		if err == nil && !slices.Equal(got, want) {
			t.Fatalf("batches of %d rows give\n%s\none by one\n%s", size, got, want)
		}
	}
}

// checkFloats compares Float32s with the values.
func checkFloats(t *testing.T, b *pipeline.Batch) {
	t.Helper()
	if b.Rows() == 0 {
		return
	}
	width, all := len(b.AppendRow(nil, 0)), true
	for c := range width {
		to, fits := make([]float32, 2*b.Rows()), true
		for i := range b.Rows() {
			x, err := b.Value(c, i).Double()
			fits = fits && err == nil && float32(x)-float32(x) == 0
		}
		if ok := b.Float32s([]int{c}, to, 2); ok != fits {
			t.Fatalf("column %d: Float32s is %v, want %v", c, ok, fits)
		}
		for i := range b.Rows() {
			if x, _ := b.Value(c, i).Double(); fits && (to[2*i] != float32(x) || to[2*i+1] != 0) {
				t.Fatalf("column %d, row %d: %v, want %v", c, i, to[2*i], x)
			}
		}
		all = all && fits
	}
	if !all {
		return
	}
	columns := slices.Collect(func(yield func(int) bool) { // in another order, some twice
		for i := range 2 * width {
			if c := i * 3 / 2 % width; !yield(c) {
				return
			}
		}
	})
	to := make([]float32, len(columns)*b.Rows())
	for i := range to {
		to[i] = 7 // from an earlier batch
	}
	if !b.Float32s(columns, to, len(columns)) {
		t.Fatal("together, the columns are not numbers")
	}
	for i, got := range to {
		row, c := i/len(columns), columns[i%len(columns)]
		if x, _ := b.Value(c, row).Double(); got != float32(x) {
			t.Fatalf("column %d, row %d of all: %v, want %v", c, row, got, x)
		}
	}
}

// cloned returns copies of rows, which a run may change.
func cloned(items []pipeline.Item) (copies []pipeline.Item) {
	for _, i := range items {
		copies = append(copies, pipeline.Item{Row: slices.Clone(i.Row)})
	}
	return copies
}

// TestBatchesOfGaps runs the steps that a proposal makes for columns with gaps.
func TestBatchesOfGaps(t *testing.T) {
	gap := func(column string) pipeline.Condition {
		return pipeline.StringCondition{Column: column, Op: pipeline.InSet, Set: []string{"", "NA", "?", "NullWritable"}}
	}
	text := func(name string) pipeline.Column { return pipeline.StringColumn{Name: name} }
	p := pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{text("x"), text("c"), text("b"),
		text("d")}},
		Steps: []pipeline.Step{
			pipeline.AddConstant{Column: "x[missing]", Value: pipeline.Integer(0), Type: pipeline.IntegerType},
			pipeline.ConditionalReplace{Column: "x[missing]", Value: pipeline.Integer(1), Condition: gap("x")},
			pipeline.ConditionalReplace{Column: "x", Value: pipeline.Double(2.5), Condition: gap("x")},
			pipeline.StandardizeNormalizer{Column: "x", Mean: 1, Stdev: 3},
			pipeline.ConditionalReplace{Column: "c", Value: pipeline.Text("none"), Condition: gap("c")},
			pipeline.MapAllExcept{Column: "c", Exceptions: []string{"none", "red", "blue"}, Value: "other"},
			pipeline.StringToCategorical{Column: "c", States: []string{"red", "blue", "none", "other"}},
			pipeline.CategoricalToOneHot{Column: "c"},
			pipeline.RemoveColumns{Columns: []string{"c[other]"}},
			pipeline.ConditionalChoose{Column: "b", Yes: pipeline.Text("1"), No: pipeline.Text("0"),
				Condition: pipeline.StringCondition{Column: "b", Op: pipeline.InSet, Set: []string{"yes", "y"}}},
			pipeline.ConvertToInteger{Column: "b"},
			pipeline.StringToTime{Column: "d", Format: "yyyy-MM-dd", Zone: "UTC"},
			pipeline.DeriveFromTime{Column: "d", Columns: []pipeline.TimePart{
				{Name: "day", Type: pipeline.IntegerType, Field: &pipeline.TimeField{Name: "dayOfMonth"}},
				{Name: "text", Type: pipeline.StringType, Format: "yyyy", Zone: "UTC"}}},
		}}
	var items []pipeline.Item
	for i, x := range []string{"1.5", "", "NA", "-3", " 4 ", "1e3", "0x10"} {
		items = append(items, pipeline.Item{Row: pipeline.Row{pipeline.Text(x),
			pipeline.Text([]string{"red", "green", "", "blue"}[i%4]), pipeline.Text([]string{"yes", "no"}[i%2]),
			pipeline.Text(fmt.Sprintf("20%02d-02-%d", 10+i, 1+i))}})
	}
	if got, err := runItems(t, p, items...); err != nil {
		t.Error(got, err)
	}
}

// TestBatchesOfNulls runs such steps on columns of numbers and texts with nulls.
func TestBatchesOfNulls(t *testing.T) {
	gap := func(column string, more ...string) pipeline.Condition {
		return pipeline.StringCondition{Column: column, Op: pipeline.InSet, Set: append(more, "", "NA", "NullWritable")}
	}
	p := pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.DoubleColumn{Name: "x"},
		pipeline.IntegerColumn{Name: "n"}, pipeline.StringColumn{Name: "c"}, pipeline.LongColumn{Name: "kept"},
		pipeline.IntegerColumn{Name: "m"}, pipeline.DoubleColumn{Name: "y"}, pipeline.FloatColumn{Name: "z"},
		pipeline.StringColumn{Name: "d"}}},
		Steps: []pipeline.Step{
			pipeline.AddConstant{Column: "x[missing]", Value: pipeline.Integer(0), Type: pipeline.IntegerType},
			pipeline.ConditionalReplace{Column: "x[missing]", Value: pipeline.Integer(1), Condition: gap("x")},
			pipeline.ConditionalReplace{Column: "x", Value: pipeline.Double(2.5), Condition: gap("x")},
			pipeline.StandardizeNormalizer{Column: "x", Mean: 1, Stdev: 3},
			pipeline.ConditionalReplace{Column: "n", Value: pipeline.Integer(7), Condition: gap("n", "2")},
			pipeline.ConditionalReplace{Column: "n", Value: pipeline.Text("12"), Condition: gap("n", "4")},
			pipeline.StandardizeNormalizer{Column: "n", Mean: 1, Stdev: 3},
			pipeline.ConditionalReplace{Column: "c", Value: pipeline.Text("none"), Condition: gap("c", "?")},
			pipeline.MapAllExcept{Column: "c", Exceptions: []string{"none", "red", "blue"}, Value: "other"},
			pipeline.StringToCategorical{Column: "c", States: []string{"red", "blue", "none", "other"}},
			pipeline.CategoricalToOneHot{Column: "c"},
			pipeline.ConditionalReplace{Column: "m", Value: pipeline.Double(7), Condition: gap("m")},
			pipeline.MinMaxNormalizer{Column: "m", Min: 1, Max: 8, NewMin: 0, NewMax: 1},
			pipeline.ConditionalReplace{Column: "y", Value: pipeline.Integer(3), Condition: gap("y")},
			pipeline.MinMaxNormalizer{Column: "y", Min: 1, Max: 8, NewMin: 0, NewMax: 1},
			pipeline.AddConstant{Column: "z[missing]", Value: pipeline.Integer(0), Type: pipeline.IntegerType},
			pipeline.ConditionalReplace{Column: "z[missing]", Value: pipeline.Integer(1), Condition: gap("z")},
			pipeline.ConditionalReplace{Column: "z", Value: pipeline.Float(0.1), Condition: gap("z")},
			pipeline.StandardizeNormalizer{Column: "z", Mean: 1, Stdev: 3},
			pipeline.ConditionalReplace{Column: "d", Value: pipeline.Text("2020-02-29"), Condition: gap("d")},
			pipeline.StringToTime{Column: "d", Format: "yyyy-MM-dd", Zone: "UTC"},
		}}
	some := func(i, every int, v pipeline.Value) pipeline.Value {
		if i%every == 1 {
			return pipeline.Null()
		}
		return v
	}
	var items []pipeline.Item
	for i := range 23 {
		items = append(items, pipeline.Item{Row: pipeline.Row{some(i, 3, pipeline.Double(float64(i)/4)),
			some(i, 4, pipeline.Integer(int32(i%6))),
			some(i, 5, pipeline.Text([]string{"red", "green", "?", "blue", "NA"}[i%5])), some(i, 6, pipeline.Long(int64(i))),
			some(i, 7, pipeline.Integer(int32(i))), some(i, 5, pipeline.Double([]float64{1, math.NaN(), 0.1}[i%3])),
			pipeline.Float(float32(i) / 3), some(i, 4, pipeline.Text(fmt.Sprint("2021-01-", 10+i%7)))}})
	}
	if got, err := runItems(t, p, items...); err != nil {
		t.Error(got, err)
	}
	p.Steps = append(p.Steps, pipeline.StandardizeNormalizer{Column: "kept", Mean: 1, Stdev: 3}) // fails at a null
	if got, err := runItems(t, p, items...); err == nil {
		t.Error("a null has been standardized", got)
	}
}

// TestKeptBatches removes rows of batches that were kept in the memory of others, which had nulls and dictionaries.
func TestKeptBatches(t *testing.T) {
	p := pipeline.Pipeline{Initial: pipeline.Schema{Columns: []pipeline.Column{pipeline.IntegerColumn{Name: "n"},
		pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "c"}}},
		Steps: []pipeline.Step{pipeline.RemoveWhere{
			Condition: pipeline.IntegerCondition{Column: "n", Op: pipeline.Equal, Value: 1}}}}
	plan, err := p.Bind()
	if err != nil {
		t.Fatal(err)
	}
	run := plan.StartBatches()
	var kept pipeline.Batch
	for i := range 6 {
		rows := []pipeline.Row{}
		for k := range 3 {
			x, c := pipeline.Double(float64(k)), pipeline.Text(fmt.Sprint("c", k))
			if i%2 == 0 && k == 2 {
				x, c = pipeline.Null(), pipeline.Null()
			}
			rows = append(rows, pipeline.Row{pipeline.Integer(int32(k)), x, c})
		}
		var in pipeline.Batch
		var texts dictionaries
		if i%3 == 0 {
			texts = dictionariesOf([]pipeline.Item{{Row: rows[0]}, {Row: rows[1]}, {Row: rows[2]}}, 1)
		}
		fill(&in, rows, texts)
		kept.Keep(&in)
		out, err := run.Run(&kept)
		if err != nil || out.Rows() != 2 {
			t.Fatal(out, err)
		}
		for k, row := range []int{0, 2} {
			if got := out.AppendRow(nil, k); fmt.Sprint(got) != fmt.Sprint(rows[row]) {
				t.Errorf("batch %d has %v, not %v", i, got, rows[row])
			}
		}
	}
}
