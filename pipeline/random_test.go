package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// cell is a value with the name of its column. The naive form of a row is a list of cells, which each step makes anew.
type cell struct {
	name  string
	value pipeline.Value
}

// naive is a step on such a row; nil removes it.
type naive func([]cell) []cell

// each replaces cells by lists of cells.
func each(f func(cell) []cell) naive {
	return func(row []cell) []cell {
		out := []cell{}
		for _, c := range row {
			out = append(out, f(c)...)
		}
		return out
	}
}

// in replaces the cells of one column.
func in(name string, f func(pipeline.Value) []cell) naive {
	return each(func(c cell) []cell {
		if c.name == name {
			return f(c.value)
		}
		return []cell{c}
	})
}

// find returns the value of a column.
func find(row []cell, name string) pipeline.Value {
	return row[slices.IndexFunc(row, func(c cell) bool { return c.name == name })].value
}

// randomStep returns a step for these columns, and its naive form.
func randomStep(r *rand.Rand, s *pipeline.Schema, fresh string) (pipeline.Step, naive) {
	names := s.Names()
	r.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	some := names[:1+r.IntN(len(names))]
	of := func(t pipeline.ColumnType) string {
		for _, name := range names {
			if s.Columns[s.Index(name)].Type() == t {
				return name
			}
		}
		return ""
	}
	switch r.IntN(9) {
	case 0:
		few := some[:min(2, len(some), max(1, len(names)-1))]
		return pipeline.RemoveColumns{Columns: few}, each(func(c cell) []cell {
			if slices.Contains(few, c.name) {
				return nil
			}
			return []cell{c}
		})
	case 1:
		return pipeline.ReorderColumns{Columns: some}, func(row []cell) (out []cell) {
			for _, name := range some {
				out = append(out, cell{name, find(row, name)})
			}
			return append(out, each(func(c cell) []cell {
				if slices.Contains(some, c.name) {
					return nil
				}
				return []cell{c}
			})(row)...)
		}
	case 2:
		return pipeline.RenameColumns{OldNames: names[:1], NewNames: []string{fresh}},
			in(names[0], func(v pipeline.Value) []cell { return []cell{{fresh, v}} })
	case 3:
		copies := make([]string, len(some))
		for i := range some {
			copies[i] = fmt.Sprint(fresh, i)
		}
		return pipeline.DuplicateColumns{Columns: some, NewNames: copies}, each(func(c cell) []cell {
			if i := slices.Index(some, c.name); i >= 0 {
				return []cell{c, {copies[i], c.value}}
			}
			return []cell{c}
		})
	}
	return randomValues(r, s, fresh, of)
}

// randomValues returns a step that changes values. of returns a column of a type, or "".
func randomValues(r *rand.Rand, s *pipeline.Schema, fresh string, of func(pipeline.ColumnType) string) (pipeline.Step,
	naive) {
	categorical, integer, double := of(pipeline.CategoricalType), of(pipeline.IntegerType), of(pipeline.DoubleType)
	switch k := r.IntN(5); {
	case k == 0 && categorical != "":
		states := s.Columns[s.Index(categorical)].(pipeline.CategoricalColumn).States
		return pipeline.CategoricalToOneHot{Column: categorical}, in(categorical, func(v pipeline.Value) (out []cell) {
			for _, state := range states {
				hot := int32(0)
				if state == v.String() {
					hot = 1
				}
				out = append(out, cell{categorical + "[" + state + "]", pipeline.Integer(hot)})
			}
			return out
		})
	case k == 1 && integer != "":
		n := int32(r.IntN(7) - 3)
		return pipeline.IntegerMath{Column: integer, Op: pipeline.Multiply, Scalar: n},
			in(integer, func(v pipeline.Value) []cell {
				x, _ := v.Integer()
				return []cell{{integer, pipeline.Integer(x * n)}}
			})
	case k == 2 && double != "":
		return pipeline.StandardizeNormalizer{Column: double, Mean: 1, Stdev: 0.5},
			in(double, func(v pipeline.Value) []cell {
				x, _ := v.Double()
				return []cell{{double, pipeline.Double((x - 1) / 0.5)}}
			})
	case k == 3 && integer != "":
		return pipeline.RemoveWhere{Condition: pipeline.IntegerCondition{Column: integer, Op: pipeline.Equal, Value: 2}},
			func(row []cell) []cell {
				if x, _ := find(row, integer).Integer(); x == 2 {
					return nil
				}
				return row
			}
	}
	name := s.Columns[0].Title()
	return pipeline.ConcatenateStrings{NewColumn: fresh, Delimiter: "-", Columns: []string{name, name}},
		func(row []cell) []cell {
			text := find(row, name).String()
			return append(row, cell{fresh, pipeline.Text(text + "-" + text)})
		}
}

// TestRandomPipelines: pipelines of random steps have the results of their naive forms.
func TestRandomPipelines(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		schema := &pipeline.Schema{Columns: []pipeline.Column{
			pipeline.IntegerColumn{Name: "i"}, pipeline.DoubleColumn{Name: "d"}, pipeline.StringColumn{Name: "s"},
			pipeline.CategoricalColumn{Name: "c", States: []string{"a", "b", "c"}}}}
		p := pipeline.Pipeline{Initial: *schema}
		var steps []naive
		for n := range 1 + r.IntN(8) {
			step, f := randomStep(r, schema, fmt.Sprint("n", n, "x"))
			bound, err := step.Bind(schema)
			if err != nil {
				t.Fatalf("seed %d: %#v: %v", seed, step, err)
			}
			p.Steps, steps, schema = append(p.Steps, step), append(steps, f), bound.Out
		}
		var items []pipeline.Item
		want := ""
		for range 5 {
			row := pipeline.Row{pipeline.Integer(r.Int32N(5)), pipeline.Text(fmt.Sprint(r.IntN(9))), pipeline.Text("é"),
				pipeline.Text(string(rune('a' + r.IntN(3))))}
			items = append(items, pipeline.Item{Row: slices.Clone(row)})
			if out := naively(p.Initial.Names(), row, steps, schema.Names()); out != "" {
				want += " " + out
			}
		}
		got, err := runItems(t, p, items...)
		if err != nil || " "+got != want && got+want != "" {
			t.Errorf("seed %d: %#v:\n%s, %v\nwant%s", seed, p.Steps, got, err, want)
		}
	}
}

// naively runs a row through steps, and formats it like runItems.
func naively(names []string, row pipeline.Row, steps []naive, after []string) string {
	var cells []cell
	for i, v := range row {
		cells = append(cells, cell{names[i], v})
	}
	for _, f := range steps {
		if cells = f(cells); cells == nil {
			return ""
		}
	}
	var out pipeline.Row
	for i, c := range cells {
		if c.name != after[i] {
			return fmt.Sprintf("column %d is %s, and the schema has %s", i, c.name, after[i])
		}
		out = append(out, c.value)
	}
	return fmt.Sprint(out)
}
