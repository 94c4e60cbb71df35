package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// propose makes a proposal for a table and runs the table through it.
func propose(t *testing.T, text string, o analysis.Options) (*analysis.Proposal, []map[string]float64) {
	t.Helper()
	p, err := analysis.Propose(infer(t, text, analysis.InferOptions{Label: o.Label}), o)
	if err != nil {
		t.Fatal(err)
	}
	return p, runThrough(t, p.Pipeline, table(text))
}

// runThrough runs rows through a pipeline after writing and reading it.
func runThrough(t *testing.T, p *pipeline.Pipeline, in *rows) (out []map[string]float64) {
	t.Helper()
	text, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = pipeline.Parse(text); err != nil {
		t.Fatal(err)
	}
	plan, err := p.Bind()
	if err != nil {
		t.Fatal(err)
	}
	run := plan.Start(func(i pipeline.Item) error {
		row := map[string]float64{}
		for k, c := range plan.Out().Columns {
			x, err := i.Row[k].Double()
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Title(), err)
			}
			row[c.Title()] = x
		}
		out = append(out, row)
		return nil
	})
	for _, line := range in.lines {
		cells := make([]string, len(plan.In().Columns))
		for k, c := range plan.In().Columns {
			cells[k] = line[in.schema.Index(c.Title())]
		}
		if err := run.Push(item(cells)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestProposal runs a messy table through the pipeline proposed for it.
func TestProposal(t *testing.T) {
	p, out := propose(t, messy(), analysis.Options{Label: []string{"label"}, Text: "hash:4"})
	for _, d := range p.Columns {
		t.Logf("%-8s %-6s %s", d.Column, d.Action, d.Reason)
	}
	if p.Task != analysis.Classification || strings.Join(p.Classes, " ") != "cat dog" || len(out) != 120 {
		t.Fatalf("%s of %v, %d rows", p.Task, p.Classes, len(out))
	}
	if err := p.Refused(); err != nil {
		t.Error(err)
	}
	features := strings.Join(p.Features, " ")
	for _, dropped := range []string{"id", "always", "nothing"} {
		if strings.Contains(" "+features+" ", " "+dropped) {
			t.Errorf("%s is a feature of %s", dropped, features)
		}
	}
	row := out[3] // its size is a gap
	if row["size[missing]"] != 1 || out[4]["size[missing]"] != 0 {
		t.Errorf("gap: %v", row)
	}
	if row["colour[red]"] != 1 || row["colour[green]"] != 0 || out[50]["colour[mauve]"] != 1 {
		t.Errorf("colours: %v", row)
	}
	if row["label"] != 0 && row["label"] != 1 {
		t.Errorf("label: %v", row["label"])
	}
	words := 0.0
	for i := range 4 {
		words += row[fmt.Sprintf("note[hash%d]", i)]
	}
	if words != 5 {
		t.Errorf("%g words", words)
	}
	for _, name := range []string{"size", "count", "price"} {
		sum, squares := 0.0, 0.0
		for _, r := range out {
			sum += r[name] / 120
			squares += r[name] * r[name] / 119
		}
		if sum < -0.1 || sum > 0.1 || squares < 0.8 || squares > 1.1 {
			t.Errorf("%s has the mean %g and the square %g", name, sum, squares)
		}
	}
	if got := runThrough(t, p.Serving, table(messy())); len(got) != 120 || len(got[0]) != len(p.Features) {
		t.Errorf("serving: %d columns, want %d", len(got[0]), len(p.Features))
	}
}

// TestUnseen: later rows may have values that the table does not have.
func TestUnseen(t *testing.T) {
	p, _ := propose(t, messy(), analysis.Options{Label: []string{"label"}, Text: "drop"})
	later := table("code,when,size,count,colour,ok,price\n999,2031-01-01,null,,pink,maybe,\n")
	out := runThrough(t, p.Serving, later)[0]
	for name, x := range out {
		if strings.HasPrefix(name, "colour[") && x != 0 {
			t.Errorf("%s is %g", name, x)
		}
	}
	if out["size[missing]"] != 1 || out["code[other]"] != 1 {
		t.Errorf("%v", out)
	}
}

// TestTasks: labels determine the task.
func TestTasks(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,text,few,many,real,flag,bit,gaps\n")
	for i := range 100 {
		gap := ""
		if i != 9 {
			gap = fmt.Sprint(i % 3)
		}
		fmt.Fprintf(&b, "%d,%c,%d,%d,%g,%t,%d,%s\n", i*i%17, 'a'+i%3, i%4, i*3, float64(i)/7, i%2 == 0, i*i%3%2, gap)
	}
	for _, c := range []struct {
		o       analysis.Options
		task    analysis.Task
		classes string
		failure string
	}{
		{o: analysis.Options{}, task: analysis.Features},
		{o: analysis.Options{Label: []string{"text"}}, task: analysis.Classification, classes: "a b c"},
		{o: analysis.Options{Label: []string{"few"}}, task: analysis.Classification, classes: "0 1 2 3"},
		{o: analysis.Options{Label: []string{"few"}, Regression: true}, task: analysis.Regression},
		{o: analysis.Options{Label: []string{"few"}, Classes: []string{"3", "2", "1", "0"}}, task: analysis.Classification,
			classes: "3 2 1 0"},
		{o: analysis.Options{Label: []string{"few"}, Classes: []string{"1", "2"}}, failure: "not among the classes"},
		{o: analysis.Options{Label: []string{"text"}, Classes: []string{"0", "1", "2"},
			Words: map[string]string{"Classes": "--classes", "Names": "--names"}},
			failure: `--classes means the numbers 0, 1, 2, but the label "text" has texts, such as "a"; leave it out, or give ` +
				`the names of the classes with --names`},
		{o: analysis.Options{Label: []string{"many"}}, task: analysis.Regression},
		{o: analysis.Options{Label: []string{"real"}}, task: analysis.Regression},
		{o: analysis.Options{Label: []string{"real", "many"}}, task: analysis.Regression},
		{o: analysis.Options{Label: []string{"flag", "bit"}}, task: analysis.MultiLabel},
		{o: analysis.Options{Label: []string{"flag"}}, task: analysis.Classification, classes: "false true"},
		{o: analysis.Options{Label: []string{"text"}, Regression: true}, failure: "not a number"},
		{o: analysis.Options{Label: []string{"text", "few"}}, failure: "several labels are all numbers, or all true"},
		{o: analysis.Options{Label: []string{"gaps"}}, task: analysis.Classification, classes: "0 1 2", failure: "1 gap"},
		{o: analysis.Options{Label: []string{"gaps"}, Missing: analysis.MissingDrop}, task: analysis.Classification,
			classes: "0 1 2"},
		{o: analysis.Options{Missing: "none"}, failure: "Missing: none: there are"},
		{o: analysis.Options{Missing: "none", Words: map[string]string{"Missing": "--missing"}},
			failure: "--missing none: there are"},
		{o: analysis.Options{Regression: true, Classes: []string{"1", "2"}}, failure: "Regression and Classes exclude"},
		{o: analysis.Options{Regression: true}, failure: "give Label: COLUMN too"},
		{o: analysis.Options{Label: []string{"gaps"}}, failure: "leave such rows out with Missing: drop"},
		{o: analysis.Options{MaxCategories: -1}, failure: "MaxCategories: -1: give 1 or more"},
		{o: analysis.Options{Text: "hash:x"}, failure: "Text: hash:x: there are"},
		{o: analysis.Options{Drop: []string{"y"}}, failure: `no column "y"`},
	} {
		p, err := analysis.Propose(infer(t, b.String(), analysis.InferOptions{Label: c.o.Label}), c.o)
		if err == nil && c.failure != "" {
			err = p.Refused()
		}
		if c.failure != "" {
			if err == nil || !strings.Contains(err.Error(), c.failure) {
				t.Errorf("%+v: %v, want %s", c.o, err, c.failure)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c.o, err)
			continue
		}
		if p.Task != c.task || strings.Join(p.Classes, " ") != c.classes {
			t.Errorf("%+v: %s of %v", c.o, p.Task, p.Classes)
		}
		rows := 100
		if c.o.Missing == analysis.MissingDrop {
			rows = 99
		}
		if out := runThrough(t, p.Pipeline, table(b.String())); len(out) != rows {
			t.Errorf("%+v: %d rows", c.o, len(out))
		}
	}
}

// TestLeaks: a column that reveals the label is reported.
func TestLeaks(t *testing.T) {
	var b strings.Builder
	b.WriteString("fine,copy,scaled,apart,label,target\n")
	for i := range 200 {
		label := i * i % 7 % 3
		target := float64(i*i%101) / 3
		fmt.Fprintf(&b, "%d,%c,%g,%g,%c,%g\n", i*31%17, 'x'+label, target*2+1+float64(i%2)/1000,
			float64(label)*10+float64(i)/100,
			'a'+label, target)
	}
	leaks := func(label string) (names string) {
		for _, n := range infer(t, b.String(), analysis.InferOptions{Label: []string{label}}).Notices {
			if n.Kind == "leak" {
				names += n.Column + " "
			}
		}
		return names
	}
	if got := leaks("label"); got != "copy apart " {
		t.Errorf("label: %s", got)
	}
	if got := leaks("target"); got != "scaled " {
		t.Errorf("target: %s", got)
	}
}
