package pipeline_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// smallCase is a line of testdata/cases.jsonl.gz: a pipeline, and what the real DataVec 1.0.0-M2.1 answers. Most have
// rows of edge values for one step.
type smallCase struct {
	Name      string
	Transform json.RawMessage
	Rows      [][]string
	Sequences [][][]string

	Want          [][]string
	WantSequences [][][]string
	Final         json.RawMessage // the columns after the last step
	Refused       [][]string      // rows that are errors, each by itself
	Error         bool            // the input is an error
	Unbindable    bool            // the pipeline is an error
}

// smallCases reads testdata/cases.jsonl.gz.
func smallCases(t *testing.T) (all []smallCase) {
	t.Helper()
	f, err := os.Open("testdata/cases.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bufio.NewReader(z)); d.More(); {
		var c smallCase
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// TestSmallCases runs pipelines on edge values: DataVec's answers, its columns and its errors are ours.
func TestSmallCases(t *testing.T) {
	all := smallCases(t)
	if len(all) < 2000 {
		t.Errorf("%d cases", len(all))
	}
	for _, c := range all {
		t.Run(c.Name, c.test)
	}
}

func (c smallCase) test(t *testing.T) {
	p, err := pipeline.Parse(c.Transform)
	var plan *pipeline.Plan
	if err == nil {
		plan, err = p.Bind()
	}
	if c.Unbindable && err == nil {
		t.Fatal("DataVec refuses this pipeline, and we do not")
	}
	if err != nil {
		if len(c.Rows)+len(c.Sequences) > 0 && !c.Error { // DataVec finds some mistakes only when it runs the pipeline
			t.Fatal(err)
		}
		return
	}
	got, err := answersTo(plan, itemsOf(t, cells{c.Rows, c.Sequences}))
	if c.Error {
		if err == nil {
			t.Fatal("DataVec refuses this input, and we do not")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	compareItems(t, got, cells{c.Want, c.WantSequences}, plan.Out(), transformCase{})
	if c.Final != nil {
		compareSchemas(t, plan.Out(), c.Final)
	}
	for _, r := range c.Refused {
		if _, err := answersTo(plan, []pipeline.Item{{Row: rowOf(t, r)}}); err == nil {
			t.Errorf("DataVec refuses %q, and we do not", r)
		}
	}
}

// answersTo returns copies of what a plan makes of items.
func answersTo(plan *pipeline.Plan, items []pipeline.Item) (out []pipeline.Item, err error) {
	run := plan.Start(func(i pipeline.Item) error {
		i.Row = slices.Clone(i.Row)
		out = append(out, i)
		return nil
	})
	for _, i := range items {
		if err := run.Push(i); err != nil {
			return nil, err
		}
	}
	return out, run.Close()
}
