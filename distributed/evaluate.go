package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
)

// DoEvaluation evaluates the network on all examples, in one pass, by as many evaluations as are given (Deeplearning4j:
// doEvaluation). Those given say what to measure, and stay as they are; the answer has as many, in the same order.
// batch is the number of examples at once, 0 for the default. The result does not depend on the partitions.
func (m *Network[N]) DoEvaluation(ctx context.Context, d *Data, batch int, evals ...eval.Evaluator) ([]eval.Evaluator, error) {
	if len(evals) == 0 {
		return nil, errors.New("there is no evaluation to do")
	}
	a, release, err := m.broadcast(ctx, batch)
	if err != nil {
		return nil, err
	}
	defer release()
	conf := evaluateConfig{applied: a}
	for _, e := range evals {
		b, err := eval.Encode(e.New())
		if err != nil {
			return nil, err
		}
		conf.Evaluations = append(conf.Evaluations, b)
	}
	row, err := d.rows.Map(evaluate.With(conf)).Reduce(ctx, mergeEvaluations.With(struct{}{}), 2)
	if errors.Is(err, engine.ErrEmpty) {
		return nil, errors.New("the data set is empty: there is nothing to evaluate on")
	}
	if err != nil {
		return nil, err
	}
	return decodeEvaluations(row)
}

// Evaluate compares the most likely class with the labels: accuracy, precision, recall, F1, the confusion matrix, and
// with topN > 1 how often the class is among the topN most likely. labels are the classes' names, or nil.
func (m *Network[N]) Evaluate(ctx context.Context, d *Data, labels []string, topN int) (*eval.Evaluation, error) {
	e := eval.NewEvaluation(len(labels))
	e.Labels = labels
	e.TopN = max(1, topN)
	return evaluateOne(ctx, m, d, e)
}

// EvaluateRegression measures errors and correlation of each output (Deeplearning4j: evaluateRegression).
func (m *Network[N]) EvaluateRegression(ctx context.Context, d *Data) (*eval.RegressionEvaluation, error) {
	return evaluateOne(ctx, m, d, eval.NewRegressionEvaluation())
}

// EvaluateROC gives the ROC of a network with one output, or two for two classes, at so many thresholds; 0 is exact
// (Deeplearning4j: evaluateROC).
func (m *Network[N]) EvaluateROC(ctx context.Context, d *Data, thresholdSteps int) (*eval.ROC, error) {
	return evaluateOne(ctx, m, d, eval.NewROC(thresholdSteps))
}

// EvaluateROCMultiClass gives the ROC of each class against the rest, at so many thresholds; 0 is exact
// (Deeplearning4j: evaluateROCMultiClass).
func (m *Network[N]) EvaluateROCMultiClass(ctx context.Context, d *Data, thresholdSteps int) (*eval.ROCMultiClass, error) {
	return evaluateOne(ctx, m, d, eval.NewROCMultiClass(thresholdSteps))
}

func evaluateOne[N nn.Network, E eval.Evaluator](ctx context.Context, m *Network[N], d *Data, e E) (E, error) {
	out, err := m.DoEvaluation(ctx, d, 0, e)
	if err != nil {
		return *new(E), err
	}
	return out[0].(E), nil
}

type evaluateConfig struct {
	applied
	Evaluations []json.RawMessage // empty ones, as eval.Encode gives them
}

var evaluate = engine.Register("distributed.evaluate",
	func(t *engine.Task, conf evaluateConfig, in engine.Rows, out engine.Writer) error {
		evals, err := decodeAll(conf.Evaluations)
		if err != nil {
			return engine.Permanent(err)
		}
		evaluated := false
		err = conf.minibatches(t, in, func(net nn.Network, m *data.MultiDataSet) error {
			if !evaluated {
				if err := net.Check(m); err != nil {
					return engine.Permanent(err)
				}
			}
			evaluated = true
			if len(m.Labels) != 1 {
				return engine.Permanent(fmt.Errorf("the data has %d arrays of labels: one is evaluated", len(m.Labels)))
			}
			outputs, err := net.Output(m, false)
			if err != nil {
				return engine.Permanent(err)
			}
			for _, e := range evals {
				if err := e.Eval(m.Labels[0], outputs[0], m.LabelMask(0)); err != nil {
					return engine.Permanent(err)
				}
			}
			return nil
		})
		if err != nil || !evaluated { // an empty partition gives no row
			return err
		}
		return writeEvaluations(out, evals)
	})

var mergeEvaluations = engine.Register("distributed.mergeEvaluations",
	func(t *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		var total []eval.Evaluator
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			evals, err := decodeEvaluations(row.Bytes)
			if err != nil {
				return engine.Permanent(err)
			}
			if total == nil {
				total = evals
				continue
			}
			for i, e := range evals {
				if err := total[i].Merge(e); err != nil {
					return engine.Permanent(err)
				}
			}
		}
		return writeEvaluations(out, total)
	})

func writeEvaluations(out engine.Writer, evals []eval.Evaluator) error {
	var list []json.RawMessage
	for _, e := range evals {
		b, err := eval.Encode(e)
		if err != nil {
			return engine.Permanent(err)
		}
		list = append(list, b)
	}
	b, err := json.Marshal(list)
	if err != nil {
		return engine.Permanent(err)
	}
	return out.Write(engine.Unindexed(b))
}

func decodeEvaluations(b []byte) ([]eval.Evaluator, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, err
	}
	return decodeAll(list)
}

func decodeAll(list []json.RawMessage) ([]eval.Evaluator, error) {
	var evals []eval.Evaluator
	for _, b := range list {
		e, err := eval.Decode(b)
		if err != nil {
			return nil, err
		}
		evals = append(evals, e)
	}
	return evals, nil
}
