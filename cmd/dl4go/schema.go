package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/modelfile"
)

func addByPosition(fs *pflag.FlagSet, to *bool) {
	fs.BoolVar(to, "by-position", false, "match columns and classes by position, not name")
}

// openModel opens the network before the data, if it does not depend on the data.
func (t *training) openModel(ctx context.Context, seed *int64) (err error) {
	switch {
	case t.from != nil:
		t.net, err = t.resumedNetwork()
	case t.model != "" && !modelfile.MadeForData(ctx, t.model):
		t.net, err = openWished(ctx, t.out, t.model, source.Info{}, seed, t.wish)
	}
	return err
}

// known returns the names in the model with which training begins; nil if there are none.
func (t *training) known() *data.Schema {
	if t.net == nil || t.byPosition {
		return nil
	}
	return t.net.Schema()
}
