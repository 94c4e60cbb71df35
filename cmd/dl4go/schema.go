package main

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
)

func addByPosition(fs *pflag.FlagSet, to *bool) {
	fs.BoolVar(to, "by-position", false, "match columns and classes by position, not name")
}

// schemaOr has the names in the model, unless all is taken by position.
func (n *network) schemaOr(byPosition bool) *data.Schema {
	if byPosition {
		return nil
	}
	return n.Schema()
}

// openModel opens the network before the data, where it does not depend on it.
func (t *training) openModel(ctx context.Context, seed *int64) (err error) {
	switch {
	case t.from != nil:
		t.net, err = t.resumedNetwork()
	case t.model != "" && !slices.Contains(nn.BuiltIns(), t.model):
		t.net, err = openNetwork(ctx, t.out, t.model, source.Info{}, seed)
	}
	return err
}

// known are the names in the model that training begins with; nil if there are none.
func (t *training) known() *data.Schema {
	if t.net == nil {
		return nil
	}
	return t.net.schemaOr(t.byPosition)
}

// positions reports what is taken by position because one side has no names, and which columns are unused.
func (o *output) positions(model *data.Schema, info source.Info) {
	var known, found data.Schema
	if model != nil {
		known = *model
	}
	if info.Schema != nil {
		found = *info.Schema
	}
	byNames := info.LabelNames != nil && !(&data.Schema{Classes: info.LabelNames}).Numbered()
	switch {
	case known.Features == nil && found.Features != nil && known.Classes == nil && byNames:
		o.line("columns and classes are taken by position: the model has no names of them")
	case known.Features == nil && found.Features != nil:
		o.line("columns are taken by position: the model has no names of them")
	case known.Classes == nil && byNames:
		o.line("classes are taken by position: the model has no names of them")
	case known.Features != nil && found.Features == nil:
		o.line("features are taken by position: the data has no names of columns")
	}
	if info.Unused != nil {
		o.line("columns that the model does not use: %s", data.ShortList(info.Unused))
	}
}
