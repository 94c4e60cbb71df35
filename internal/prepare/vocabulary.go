package prepare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// vocabulary makes the pipeline of tokens: the most frequent tokens of the training rows have a number each, ordered
// by count and then alphabetically. All other tokens are source.UnknownToken.
func (o *opening) vocabulary(p *source.Preparation) error {
	t := o.of.Sequencing.Tokens
	counts, err := o.reader.tokens(o, t.Column)
	if err != nil {
		return err
	}
	all := len(counts)
	delete(counts, source.UnknownToken)
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n < t.Least })
	known := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	known = known[:min(len(known), t.Words)]
	if len(known) == 0 {
		return fmt.Errorf("%s: column %q has no tokens that are there %d times; lower min-count", o.name, t.Column, t.Least)
	}
	p.Pipeline = &pipeline.Pipeline{Initial: pipeline.Schema{Sequence: true,
		Columns: []pipeline.Column{pipeline.StringColumn{Name: t.Column}}},
		Steps: []pipeline.Step{
			pipeline.MapAllExcept{Column: t.Column, Value: source.UnknownToken, Exceptions: known},
			pipeline.StringToCategorical{Column: t.Column, States: append(slices.Clone(known), source.UnknownToken)},
			pipeline.CategoricalToInteger{Column: t.Column}}}
	for _, label := range o.raw {
		p.Pipeline.Initial.Columns = append(p.Pipeline.Initial.Columns, pipeline.StringColumn{Name: label})
	}
	o.result.Columns = []analysis.Decision{{Column: t.Column, Action: analysis.Use, Reason: fmt.Sprintf(
		"sequences of %s: %d of %d are known, the others are %s", t.By, len(known), all, source.UnknownToken)}}
	for _, name := range o.schema.Names() {
		if name != t.Column && !slices.Contains(o.raw, name) && !slices.Contains(o.name.Keys(), name) {
			o.result.Columns = append(o.result.Columns, analysis.Decision{Column: name, Action: analysis.Drop,
				Reason: "left out: texts alone are features"})
		}
	}
	return nil
}

// maxTokens limits the memory for counting tokens.
const maxTokens = 5_000_000

func tooManyTokens(counts map[string]int, column string) error {
	if len(counts) > maxTokens {
		return fmt.Errorf("column %q has more than %d different tokens; tokens-by=characters has fewer", column, maxTokens)
	}
	return nil
}

// tokens counts the tokens of the training rows.
func (t *table) tokens(o *opening, column string) (map[string]int, error) {
	at, err := o.schema.Find(column)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	return counts, o.each(func(i int, item pipeline.Item, place func() string) error {
		if !o.trainsOn(i) {
			return nil
		}
		for _, row := range item.Sequence {
			counts[row[at].String()]++
		}
		if err := tooManyTokens(counts, column); err != nil {
			return fmt.Errorf("%s: %w", place(), err)
		}
		return nil
	})
}
