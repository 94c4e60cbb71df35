package distributed

import (
	"context"
	"errors"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
)

// Reconstructor returns an autoencoder of the network; see nn.Network.
func (m *applications) Reconstructor(layer string) (*nn.Reconstructor, error) {
	return m.net.Reconstructor(layer)
}

// EvaluateReconstruction measures how well an autoencoder, plain or variational, reconstructs its input. Labels are not
// needed. layer is a name or number; see nn.Network.Reconstructor. batch is the number of examples at once, 0 for the
// default. The result does not depend on the partitions.
func (m *applications) EvaluateReconstruction(ctx context.Context, d *Data, layer string,
	batch int) (*eval.RegressionEvaluation, error) {
	if err := m.check(d); err != nil {
		return nil, err
	}
	if _, err := m.net.Reconstructor(layer); err != nil {
		return nil, err
	}
	a, release, err := m.borrow(ctx, batch)
	if err != nil {
		return nil, err
	}
	defer release()
	row, err := d.rows.Map(reconstruct.With(reconstructConfig{applied: a, Keys: names(d.keys), Layer: layer})).Reduce(ctx,
		mergeEvaluations.With(struct{}{}), 2)
	if errors.Is(err, engine.ErrEmpty) {
		return nil, errors.New("the data set is empty: there is nothing to reconstruct")
	}
	if err != nil {
		return nil, d.explain(ctx, err)
	}
	done, err := readEvaluated(row)
	if err != nil {
		return nil, err
	}
	return done.evals[0].(*eval.RegressionEvaluation), nil
}

// ReconstructionLogProbability estimates log p(x) of each example, with its key, by a variational autoencoder. samples
// is the number of draws, which depend on the seed and the example; see nn.Reconstructor. The results are computed when
// they are read: see [Network.Predict].
func (m *applications) ReconstructionLogProbability(ctx context.Context, d *Data, layer string, samples int,
	seed uint64, batch int) (*Scores, error) {
	if err := m.check(d); err != nil {
		return nil, err
	}
	if _, err := m.net.Reconstructor(layer); err != nil {
		return nil, err
	}
	a, release, err := m.hold(ctx, batch)
	if err != nil {
		return nil, err
	}
	return newScores(d, d.rows.Map(reconstructionProbability.With(reconstructConfig{a, names(d.keys), layer, samples,
		seed})), release), nil
}

type reconstructConfig struct {
	applied
	Keys    []string
	Layer   string
	Samples int
	Seed    uint64
}

// each calls f with the partition's minibatches, and with the autoencoder of the replica for each.
func (c reconstructConfig) each(t *engine.Task, in engine.Rows,
	f func(*nn.Reconstructor, *data.MultiDataSet) error) error {
	of := map[*nn.Network]*nn.Reconstructor{}
	return c.onReplicas(t, in, c.Keys, false, func(net *nn.Network, m *data.MultiDataSet) error {
		m.Labels, m.LabelMasks = nil, nil
		r := of[net]
		if r == nil {
			var err error
			if r, err = net.Reconstructor(c.Layer); err != nil {
				return engine.Permanent(err)
			}
			of[net] = r
		}
		return f(r, m)
	})
}

var reconstruct = engine.Register("distributed.reconstruct",
	func(t *engine.Task, conf reconstructConfig, in engine.Rows, out engine.Writer) error {
		e, any := eval.NewRegressionEvaluation(), false
		err := conf.each(t, in, func(of *nn.Reconstructor, m *data.MultiDataSet) error {
			any = true
			x, back, err := of.Reconstruct(m)
			if err == nil {
				err = e.Eval(x, back, nil)
			}
			if err != nil {
				return engine.Permanent(err)
			}
			return nil
		})
		if err != nil || !any { // an empty partition gives no row
			return err
		}
		return writeEvaluated(out, evaluated{evals: []eval.Evaluator{e}})
	})

var reconstructionProbability = engine.Register("distributed.reconstructionProbability",
	func(t *engine.Task, conf reconstructConfig, in engine.Rows, out engine.Writer) error {
		return conf.each(t, in, func(of *nn.Reconstructor, m *data.MultiDataSet) error {
			all, err := of.LogProbability(m, conf.Samples, conf.Seed)
			if err != nil {
				return engine.Permanent(err)
			}
			return writeScores(out, m, all)
		})
	})
