package analysis_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// measuredTable has columns of numbers, each with its unit written as the formats say, and some gaps.
func measuredTable(weight, price, share, people string) string {
	var b strings.Builder
	b.WriteString("weight,price,share,people,label\n")
	commas := func(n int) string {
		if n < 1000 || !strings.Contains(price, "$") {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("%d_%03d", n/1000, n%1000) // table splits lines at commas
	}
	for i := range 60 {
		w := fmt.Sprintf(weight, float64(i*7%31)/4)
		if i == 5 {
			w = "?"
		}
		p := fmt.Sprintf(price, commas(300+i*173))
		if i == 9 {
			p = ""
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s\n", w, p, fmt.Sprintf(share, i%13), fmt.Sprintf(people, commas(700+i*31)),
			[]string{"a", "b"}[i%2])
	}
	return b.String()
}

// TestUnits: columns whose values share a unit are proposed as numbers. The features are those of plain numbers.
func TestUnits(t *testing.T) {
	in := strings.ReplaceAll
	o := analysis.Options{Label: []string{"label"}}
	for _, missing := range []analysis.Missing{analysis.MissingMedian, analysis.MissingMean, analysis.MissingDrop} {
		o.Missing = missing
		plain, want := propose(t, measuredTable("%g", "%s", "%d", "%s"), o)
		p, out := proposeCommas(t, measuredTable("%g kg", "$ %s", "%d%%", "%s"), o)
		if !reflect.DeepEqual(out, want) || !reflect.DeepEqual(p.Features, plain.Features) {
			t.Errorf("%s: features %v, wanted %v", missing, p.Features, plain.Features)
		}
		for i, want := range []string{"number in kg, standardised", "number in $ with commas, standardised",
			"number in %, standardised", "number with commas, standardised"} {
			if got := p.Columns[i].Reason; !strings.HasPrefix(got, want) ||
				in(got, want, "") != in(plain.Columns[i].Reason, "number, standardised", "") {
				t.Errorf("%s: %q, wanted %q… as in %q", missing, got, want, plain.Columns[i].Reason)
			}
		}
	}
}

// proposeCommas is propose for a table with _ in the place of commas.
func proposeCommas(t *testing.T, text string, o analysis.Options) (*analysis.Proposal, []map[string]float64) {
	t.Helper()
	found, err := analysis.Infer(withCommas(text), analysis.InferOptions{Label: o.Label})
	if err != nil {
		t.Fatal(err)
	}
	p, err := analysis.Propose(found, o)
	if err != nil {
		t.Fatal(err)
	}
	return p, runThrough(t, p.Pipeline, withCommas(text))
}

// withCommas is table for a text with _ in the place of commas.
func withCommas(text string) *rows {
	all := table(text)
	for _, line := range all.lines {
		for i := range line {
			line[i] = strings.ReplaceAll(line[i], "_", ",")
		}
	}
	return all
}

// TestNoUnits: other texts stay what they are.
func TestNoUnits(t *testing.T) {
	for _, texts := range []string{
		"5 kg|5 lb|7 kg", "5 kg|7", "item 1|item 2|item 3", "007 kg|008 kg", "1_2 m|1_000 m", "12:30|12:31", "1.2.3 m|2 m",
		"3 Main St|5 Main St", "$|$5", "5 kg|kg", "1A2|2A2", "1_0000|2_0000", "S1|S2", "-|- kg|5 kg",
	} {
		var b strings.Builder
		b.WriteString("v,w\n")
		for i := range 40 {
			all := strings.Split(texts, "|")
			fmt.Fprintf(&b, "%s,%d\n", all[i%len(all)], i%3)
		}
		found, err := analysis.Infer(withCommas(b.String()), analysis.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if c := found.Column("v"); c.Unit != nil || c.Number != nil {
			t.Errorf("%s: %s with the unit %+v", texts, c.Kind, c.Unit)
		}
	}
	label := infer(t, "v,w\n"+strings.Repeat("5 kg,1\n7 kg,2\n", 20), analysis.InferOptions{Label: []string{"v"}})
	if c := label.Column("v"); c.Unit != nil || c.Kind != analysis.Categories {
		t.Errorf("a label with a unit is %s", c.Kind)
	}
}

// TestUnitsOfWorkers: profiles of pieces, written and merged, find the units of the whole table.
func TestUnitsOfWorkers(t *testing.T) {
	for _, text := range []string{measuredTable("%g kg", "$ %s", "%d%%", "%s"),
		strings.Replace(measuredTable("%g kg", "$ %s", "%d%%", "%s"), "4%", "4‰", 1)} {
		all := withCommas(text)
		profiler := func(lines [][]string) *analysis.Profiler {
			p, err := analysis.NewProfiler(all.schema, analysis.InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range lines {
				if err := p.Add(item(line), nil); err != nil {
					t.Fatal(err)
				}
			}
			b, err := p.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			p, _ = analysis.NewProfiler(all.schema, analysis.InferOptions{})
			if err := p.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			return p
		}
		want := profiler(all.lines).Table()
		got := profiler(nil)
		for k := range 6 {
			got.Merge(profiler(all.lines[10*k : 10*(k+1)]))
		}
		found := got.Table()
		for i := range want.Columns {
			g, w := found.Columns[i], want.Columns[i]
			if !reflect.DeepEqual(g.Unit, w.Unit) || !reflect.DeepEqual(g.Number, w.Number) || g.Kind != w.Kind {
				t.Errorf("%s: %s in %+v, %+v, wanted %s in %+v, %+v", w.Name, g.Kind, g.Unit, g.Number, w.Kind, w.Unit, w.Number)
			}
		}
	}
}

// TestUnitsAreStrict: a row with another unit is an error when the pipeline runs.
func TestUnitsAreStrict(t *testing.T) {
	p, _ := propose(t, measuredTable("%g kg", "%s", "%d", "%s"), analysis.Options{Label: []string{"label"}})
	plan, err := p.Serving.Bind()
	if err != nil {
		t.Fatal(err)
	}
	for value, refused := range map[string]bool{"3 kg": false, "3kg": false, "3": false, "3 lb": true, "3 kg 2": true} {
		err := plan.Start(func(pipeline.Item) error { return nil }).Push(item([]string{value, "5", "1", "2"}))
		if (err != nil) != refused {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// rareUnits is a table of 600 rows. Their weights are in kg, but for a few.
func rareUnits(exceptions ...string) *rows {
	var b strings.Builder
	b.WriteString("weight,label\n")
	for i := range 600 {
		w := fmt.Sprintf("%g kg", float64(i*7%31)/4)
		if k := i - 300; k >= 0 && k < len(exceptions) {
			w = exceptions[k]
		}
		fmt.Fprintf(&b, "%s,%s\n", w, []string{"a", "b"}[i%2])
	}
	return table(b.String())
}

// TestRareUnits: a few values in other units don't make a column a text. The proposal says them, and its
// pipeline refuses them. Texts are gaps, as they are among plain numbers. The whole does not depend on the order.
func TestRareUnits(t *testing.T) {
	for text, want := range map[string]string{
		"12 lb": "; refused: 1 value in another unit (\"12 lb\"), which bad-rows=skip:N leaves out",
		"1 lb|unknown|3 g|none|unknown": "3 gaps filled with the median 3.75, and marked; refused: 2 values in another " +
			"unit (\"3 g\", \"1 lb\")",
		"9": "number in kg, standardised (mean 3.7437",
	} {
		texts := strings.Split(text, "|")
		all := rareUnits(texts...)
		found, err := analysis.Infer(all, analysis.InferOptions{Label: []string{"label"}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := analysis.Propose(found, analysis.Options{Label: []string{"label"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Columns[0].Reason; !strings.Contains(got, want) {
			t.Errorf("%v: %s, wanted %s", texts, got, want)
		}
		halves := make([]*analysis.Profiler, 2)
		for i := range halves {
			halves[i], _ = analysis.NewProfiler(all.schema, analysis.InferOptions{Label: []string{"label"}})
			for _, line := range all.lines[300*(1-i) : 300*(2-i)] {
				if err := halves[i].Add(item(line), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		halves[0].Merge(halves[1])
		got, want := halves[0].Table().Columns[0], found.Columns[0]
		if got.Foreign != want.Foreign || got.Odd != want.Odd || !reflect.DeepEqual(got.Number, want.Number) ||
			!reflect.DeepEqual(got.ForeignTexts, want.ForeignTexts) {
			t.Errorf("%v: merged in another order: %+v, wanted %+v", texts, got, want)
		}
	}
	for _, texts := range [][]string{slices.Repeat([]string{"1 lb"}, 7), {"1 lb", "1 g", "1 oz", "1 t"}} {
		found, err := analysis.Infer(rareUnits(texts...), analysis.InferOptions{Label: []string{"label"}})
		if err != nil {
			t.Fatal(err)
		}
		if c := found.Columns[0]; c.Unit != nil {
			t.Errorf("%v: %s in %+v", texts, c.Kind, c.Unit)
		}
	}
}
