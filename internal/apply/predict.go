package apply

import (
	"context"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/tensor"
)

// Keys returns the columns that identify the examples of the data; none if it has none.
func (a *Applied) Keys() []string { return a.place.Data.Keys("data", a.Data) }

// answer describes the answers by their names: those of the model's pipeline, or the classes of pictures. It is nil if
// there are no names.
func (a *Applied) answer() *source.Answer {
	if p := a.place.Data.Preparation; p != nil {
		of := p.Answer()
		return &of
	}
	n, _, err := a.place.Named("data", a.Data)
	k, _ := source.KindOf(n.Kind)
	schema := a.Network.Schema()
	_, pictures := k.(source.FolderReader)
	if err != nil || !pictures || a.ByPosition || schema == nil || len(schema.Classes) < 2 ||
		!results.Classifies(a.Network.Network) {
		return nil
	}
	return &source.Answer{Task: source.Classification, Classes: schema.Classes}
}

// Predict writes the predictions for the examples, in order, and commits them. It returns how many it has written.
func (a *Applied) Predict(ctx context.Context, w *results.Predictions) (n int, err error) {
	if of := a.answer(); of != nil {
		w.Named(*of)
	}
	err = a.counted("predict", func(done func(int)) error {
		return a.eachPiece(ctx, func(d *distributed.Data) error {
			p, err := a.on.Predict(ctx, d, a.predictOptions())
			if err != nil {
				return err
			}
			defer p.Release()
			err = p.Each(ctx, func(key string, outputs []*tensor.Dense) error {
				if err := a.checkOutputs(n, key, outputs); err != nil {
					return err
				}
				n++
				done(1)
				return w.Write(key, outputs)
			})
			if err != nil {
				return err
			}
			return w.Flush() // the next piece may take a while
		})
	})
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = a.some(n)
	}
	if err == nil {
		err = w.Commit()
	}
	return n, err
}

// predictOptions bring predictions back to the unit of the labels.
func (a *Applied) predictOptions() (o distributed.PredictOptions) {
	o.Revert, _ = a.Network.Normalizer.(*data.Scaler)
	return o
}
