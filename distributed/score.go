package distributed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

// Scores are the losses of the examples of a data set.
type Scores = Results[float64]

// ScoreExamples returns the loss of each example, with its key. With regularization, the regularisation's part is added
// to each (Deeplearning4j: scoreExamples, scoreExamplesMultiDataSet). batch is the number of examples that go through
// the network at once, 0 for the default; no score depends on it. The results are computed when they are read: see
// Predict.
func (m *applications) ScoreExamples(ctx context.Context, d *Data, regularization bool, batch int) (*Scores, error) {
	if err := m.check(d); err != nil {
		return nil, err
	}
	a, release, err := m.hold(ctx, batch)
	if err != nil {
		return nil, err
	}
	return newScores(d, d.rows.Map(score.With(scoreConfig{a, names(d.keys), regularization})), release), nil
}

// newScores makes Scores from rows of writeScores.
func newScores(d *Data, rows *engine.Dataset, release func()) *Scores {
	s := &Scores{engine: d.Engine(), rows: rows, source: d, read: readScore,
		data:  d.derive(rows.Map(scoreData.With(struct{}{}))),
		table: scoreColumns(names(d.keys)), release: release}
	s.data.results = &s.released
	return s
}

// Score returns the sum of the examples' losses or, with average, their mean. With regularization, the regularisation's
// part r is added to each loss: Σ (loss + r), or Σ loss/n + r (Deeplearning4j: calculateScore,
// calculateScoreMultiDataSet, which always add r). Score also returns the number of examples n. batch is the number of
// examples that go through the network at once; 0 is the default. The result does not depend on partitions and batches,
// within 1e-15.
func (m *applications) Score(ctx context.Context, d *Data, average, regularization bool, batch int) (float64, int,
	error) {
	if err := m.check(d); err != nil {
		return 0, 0, err
	}
	a, release, err := m.borrow(ctx, batch)
	if err != nil {
		return 0, 0, err
	}
	defer release()
	var total compensated
	err = d.rows.Map(sumScores.With(scoreConfig{a, names(d.keys), false})).Collect(ctx, func(_ int, row engine.Row) error {
		part, err := readCompensated(row.Bytes)
		total.merge(part)
		return err
	})
	if err != nil {
		return 0, 0, d.explainFor(ctx, m.net, err)
	}
	if total.n == 0 {
		return 0, 0, errors.New("the data set is empty: there is nothing to score")
	}
	sum := total.value()
	if average {
		sum /= float64(total.n)
	}
	if regularization {
		m.here.Lock()
		r, err := m.net.Penalty()
		m.here.Unlock()
		if err != nil {
			return 0, 0, err
		}
		if !average {
			r *= float64(total.n)
		}
		sum += r
	}
	return sum, int(total.n), nil
}

type scoreConfig struct {
	applied
	Keys           []string
	Regularization bool
}

func (conf scoreConfig) scores(t *engine.Task, in engine.Rows,
	f func(m *data.MultiDataSet, scores []float64) error) error {
	return conf.onReplicas(t, in, conf.Keys, true, func(net *nn.Network, m *data.MultiDataSet) error {
		scores, err := net.ScoreExamples(m, conf.Regularization)
		if err != nil {
			return engine.Permanent(err)
		}
		return f(m, scores)
	})
}

// score makes rows of a score: float64, little-endian, then the example's key.
var score = engine.Register("distributed.score",
	func(t *engine.Task, conf scoreConfig, in engine.Rows, out engine.Writer) error {
		return conf.scores(t, in, func(m *data.MultiDataSet, scores []float64) error { return writeScores(out, m, scores) })
	})

func writeScores(out engine.Writer, m *data.MultiDataSet, scores []float64) error {
	for i, s := range scores {
		b := binary.LittleEndian.AppendUint64(nil, math.Float64bits(s))
		if m.Meta != nil {
			b = append(b, m.Meta[i]...)
		}
		if err := out.Write(engine.Unindexed(b)); err != nil {
			return err
		}
	}
	return nil
}

func readScore(row []byte) (meta string, score float64, err error) {
	if len(row) < 8 {
		return "", 0, fmt.Errorf("a row of %d bytes is not a score", len(row))
	}
	return string(row[8:]), math.Float64frombits(binary.LittleEndian.Uint64(row)), nil
}

// scoreData makes examples from scores.
var scoreData = engine.Register("distributed.scoreData",
	func(t *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		return eachRow(in, out, func(_ int, row []byte) ([]byte, error) {
			key, s, err := readScore(row)
			if err != nil {
				return nil, err
			}
			m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{float32(s)}, 1, 1)}}
			if key != "" {
				m.Meta = []string{key}
			}
			return data.AppendRow(nil, m), nil
		})
	})

// sumScores makes one row for a partition.
var sumScores = engine.Register("distributed.sumScores",
	func(t *engine.Task, conf scoreConfig, in engine.Rows, out engine.Writer) error {
		var sum compensated
		err := conf.scores(t, in, func(_ *data.MultiDataSet, scores []float64) error {
			for _, s := range scores {
				sum.add(s)
				sum.n++
			}
			return nil
		})
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(sum.append(nil)))
	})
