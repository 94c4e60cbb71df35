package distributed

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// Predict gives each the outputs of the network, an array each output layer, for minibatch after minibatch, in the
// order of the examples; see nn.Network.OutputRows for networks that give several rows for each. batch is the number of examples at once, 0 for the default; a row's output does not depend on
// it. Labels need not be there. Memory: a few partitions' outputs.
func (m *Network[N]) Predict(ctx context.Context, d *Data, batch int, each func(outputs []*tensor.Dense) error) error {
	a, release, err := m.broadcast(ctx, batch)
	if err != nil {
		return err
	}
	defer release()
	return d.rows.Map(predict.With(a)).Collect(ctx, func(_ int, row engine.Row) error {
		out, err := data.DecodeRow(row.Bytes)
		if err != nil {
			return err
		}
		return each(out.Features)
	})
}

var predict = engine.Register("distributed.predict",
	func(t *engine.Task, conf applied, in engine.Rows, out engine.Writer) error {
		return conf.minibatches(t, in, func(net nn.Network, m *data.MultiDataSet) error {
			outputs, err := net.Output(m, false)
			if err != nil {
				return engine.Permanent(err)
			}
			return out.Write(engine.Unindexed(data.AppendRow(nil, &data.MultiDataSet{Features: outputs})))
		})
	})

// ScoreExamples gives each the loss of every example, in order, with the regularisation's part added where asked
// (Deeplearning4j: scoreExamples).
func (m *Network[N]) ScoreExamples(ctx context.Context, d *Data, regularization bool, batch int, each func(score float64) error) error {
	a, release, err := m.broadcast(ctx, batch)
	if err != nil {
		return err
	}
	defer release()
	return d.rows.Map(score.With(scoreConfig{a, regularization})).Collect(ctx, func(_ int, row engine.Row) error {
		for b := row.Bytes; len(b) >= 8; b = b[8:] {
			if err := each(math.Float64frombits(binary.LittleEndian.Uint64(b))); err != nil {
				return err
			}
		}
		return nil
	})
}

// Score is the sum of the examples' losses, or with average their mean, plus the regularisation's part of the score
// where asked (Deeplearning4j: calculateScore). It also gives the number of examples.
func (m *Network[N]) Score(ctx context.Context, d *Data, average, regularization bool, batch int) (float64, int, error) {
	sum, n := 0.0, 0
	err := m.ScoreExamples(ctx, d, false, batch, func(s float64) error {
		sum += s
		n++
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	if n == 0 {
		return 0, 0, errors.New("the data set is empty: there is nothing to score")
	}
	if average {
		sum /= float64(n)
	}
	if regularization {
		penalty, err := m.net.Penalty()
		if err != nil {
			return 0, 0, err
		}
		sum += penalty
	}
	return sum, n, nil
}

type scoreConfig struct {
	applied
	Regularization bool
}

var score = engine.Register("distributed.score",
	func(t *engine.Task, conf scoreConfig, in engine.Rows, out engine.Writer) error {
		return conf.minibatches(t, in, func(net nn.Network, m *data.MultiDataSet) error {
			scores, err := net.ScoreExamples(m, conf.Regularization)
			if err != nil {
				return engine.Permanent(err)
			}
			b := make([]byte, 0, 8*len(scores))
			for _, s := range scores {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s))
			}
			return out.Write(engine.Unindexed(b))
		})
	})
