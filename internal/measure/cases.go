package measure

import (
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/eval"
)

// Cases makes the collections of single examples for the page of each output, and returns those to fill; none without
// a page.
func (f Files) Cases(all []*Output, info source.Info) (cases []*eval.Cases) {
	if f.Page == "" {
		return nil
	}
	for _, o := range all {
		o.Cases = &eval.Cases{Output: o.Index,
			Numbers: slices.Contains(o.Types, "regression") && !slices.Contains(o.Types, "classification")}
		if o.Index == 0 {
			o.Cases.Names = info.OutputNames()
		}
		if info.Schema != nil {
			o.Cases.Columns = info.Schema.Features
			if o.Cases.Numbers && o.Index == 0 {
				o.Cases.Names = info.Schema.Labels
			}
		}
		if i := info.Image; i != nil {
			o.Cases.Height, o.Cases.Width, o.Cases.Channels = i.Height, i.Width, i.Channels
		}
		cases = append(cases, o.Cases)
	}
	return cases
}
