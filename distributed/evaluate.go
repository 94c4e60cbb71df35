package distributed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// EvaluationOptions are settings of an evaluation. The zero value has the defaults.
type EvaluationOptions struct {
	// Batch is the number of examples that go through the network at once: Options.Batch if 0. Results don't depend on
	// it.
	Batch int
	// Workers is the number of replicas of the network that work at the same time in a process. The default is that of
	// SetDefaultEvaluationWorkers.
	Workers int
	// Outputs has, for each evaluation, the number of the network's output that it evaluates, from 0. It may be nil if
	// the network has one output.
	Outputs []int
	// Revert, if not nil, is a normalizer that brings outputs and labels back to the labels' own scale.
	Revert *data.Scaler
}

// DoEvaluation evaluates the network on all examples, in one pass, with any number of evaluations (Deeplearning4j:
// doEvaluation, doEvaluationMDS). The given evaluations choose the measures, and are not changed. The result has one
// for each of them, in the same order. The result does not depend on the partitions: counts are exact, sums agree to
// within rounding.
//
// Masks of the labels count. It is an error if they leave an evaluation without any value. The data may be of any kind,
// for example from [FromDirectory] or [FromPaths].
//
// Deeplearning4j differs: on Spark it evaluates the first output of a graph only.
func (m *applications) DoEvaluation(ctx context.Context, d *Data, o EvaluationOptions,
	evals ...eval.Evaluator) ([]eval.Evaluator, error) {
	done, _, err := m.evaluate(ctx, d, o, false, evals)
	return done, err
}

// EvaluateAndScore is [Network.DoEvaluation] with the mean of the examples' losses, without the regularisation's part,
// in the same pass. The losses use the labels on which the network was trained, before Revert.
func (m *applications) EvaluateAndScore(ctx context.Context, d *Data, o EvaluationOptions,
	evals ...eval.Evaluator) ([]eval.Evaluator, float64, error) {
	return m.evaluate(ctx, d, o, true, evals)
}

func (m *applications) evaluate(ctx context.Context, d *Data, o EvaluationOptions, score bool,
	evals []eval.Evaluator) ([]eval.Evaluator, float64, error) {
	if err := m.check(d); err != nil {
		return nil, 0, err
	}
	if err := m.checkEvaluations(d, &o, evals); err != nil {
		return nil, 0, err
	}
	a, release, err := m.borrow(ctx, o.Batch)
	if err != nil {
		return nil, 0, err
	}
	defer release()
	if o.Workers != 0 {
		a.Workers = o.Workers
	}
	conf := evaluateConfig{applied: a, Outputs: o.Outputs, Score: score}
	if o.Revert != nil {
		var b bytes.Buffer
		if err := data.WriteNormalizer(&b, o.Revert); err != nil {
			return nil, 0, err
		}
		conf.Revert = b.Bytes()
	}
	empty := make([]eval.Evaluator, len(evals))
	for i, e := range evals {
		empty[i] = e.New()
	}
	if conf.Evaluations, err = encodeEvaluations(empty); err != nil {
		return nil, 0, err
	}
	if _, err := decodeEvaluations(conf.Evaluations); err != nil { // as workers do: an incomplete evaluation fails here
		return nil, 0, err
	}
	row, err := d.rows.Map(evaluate.With(conf)).Reduce(ctx, mergeEvaluations.With(struct{}{}), 2)
	if errors.Is(err, engine.ErrEmpty) {
		return nil, 0, errors.New("the data set is empty: there is nothing to evaluate on")
	}
	if err != nil {
		return nil, 0, d.explainFor(ctx, m.net, err)
	}
	done, err := readEvaluated(row)
	if err == nil {
		err = eval.CheckCounted(done.evals...)
	}
	if err != nil {
		return nil, 0, err
	}
	return done.evals, done.losses.value() / float64(max(1, done.losses.n)), nil
}

// checkEvaluations finds mistakes before a job begins, as far as the driver knows the data, and completes o.
func (m *applications) checkEvaluations(d *Data, o *EvaluationOptions, evals []eval.Evaluator) error {
	if len(evals) == 0 {
		return errors.New("there is no evaluation to do")
	}
	if o.Workers < 0 {
		return fmt.Errorf("%d evaluation workers were asked for: at least 1 is needed", o.Workers)
	}
	outputs := m.net.OutputLayers()
	switch {
	case o.Outputs == nil && len(outputs) != 1:
		return fmt.Errorf("the network has %d outputs: EvaluationOptions.Outputs must say for each evaluation which one "+
			"it is about", len(outputs))
	case o.Outputs == nil:
		o.Outputs = make([]int, len(evals))
	case len(o.Outputs) != len(evals):
		return fmt.Errorf("EvaluationOptions.Outputs has %d entries for %d evaluations", len(o.Outputs), len(evals))
	}
	for i, k := range o.Outputs {
		if missing(evals[i]) {
			return fmt.Errorf("evaluation %d is nil", i)
		}
		if k < 0 || k >= len(outputs) {
			return fmt.Errorf("evaluation %d is for output %d: the network has outputs 0 to %d", i, k, len(outputs)-1)
		}
		e, ok := evals[i].(*eval.Evaluation)
		sized, known := outputs[k].(layer.Sized)
		if !ok || !known || len(e.Labels) == 0 {
			continue
		}
		if _, n := sized.Sizes(); n > 1 && n != len(e.Labels) {
			return fmt.Errorf("%d classes are named, output %d of the network has %d", len(e.Labels), k, n)
		}
	}
	return m.checkFirst(d)
}

// checkFirst checks the first example if the driver has it. Workers check all.
func (m *placed) checkFirst(d *Data) error {
	rows, ok := d.rows.Plan().(engine.DriverRows)
	if !ok {
		return nil
	}
	for _, part := range rows.Partitions {
		if part.Len() == 0 {
			continue
		}
		row, err := part.Rows().Next()
		if err != nil {
			return err
		}
		first, err := data.DecodeRow(row.Bytes)
		if err != nil {
			return err
		}
		if err := checkLabels(m.net, first); err != nil {
			return fmt.Errorf("the data: %w", err)
		}
		return nil
	}
	return nil
}

// checkLabels reports an error if the number of label arrays is not the number of the network's outputs.
func checkLabels(net *nn.Network, m *data.MultiDataSet) error {
	want := len(net.OutputLayers())
	switch {
	case len(m.Labels) == 0:
		return errors.New("there are no labels, which evaluation and training need")
	case len(m.Labels) != want:
		return fmt.Errorf("the network has %d outputs, the examples have %d arrays of labels", want, len(m.Labels))
	}
	return nil
}

// Evaluate compares the most likely class with the labels: accuracy, precision, recall, F1, the confusion matrix, and
// with topN > 1 how often the class is among the topN most likely. labels are the classes' names, or nil.
func (m *applications) Evaluate(ctx context.Context, d *Data, labels []string, topN int) (*eval.Evaluation, error) {
	e := eval.NewEvaluation(len(labels))
	e.Labels = labels
	e.TopN = max(1, topN)
	return evaluateOne(ctx, m, d, e)
}

// EvaluateRegression measures errors and correlation of each output (Deeplearning4j: evaluateRegression).
func (m *applications) EvaluateRegression(ctx context.Context, d *Data) (*eval.RegressionEvaluation, error) {
	return evaluateOne(ctx, m, d, eval.NewRegressionEvaluation())
}

// EvaluateROC returns the ROC of a network with one output, or with two for two classes (Deeplearning4j: evaluateROC).
// thresholdSteps is the number of thresholds; 0 is exact.
func (m *applications) EvaluateROC(ctx context.Context, d *Data, thresholdSteps int) (*eval.ROC, error) {
	return evaluateOne(ctx, m, d, eval.NewROC(thresholdSteps))
}

// EvaluateROCMultiClass returns the ROC of each class against the others (Deeplearning4j: evaluateROCMultiClass).
// thresholdSteps is the number of thresholds; 0 is exact.
func (m *applications) EvaluateROCMultiClass(ctx context.Context, d *Data, thresholdSteps int) (*eval.ROCMultiClass,
	error) {
	return evaluateOne(ctx, m, d, eval.NewROCMultiClass(thresholdSteps))
}

func evaluateOne[E eval.Evaluator](ctx context.Context, m *applications, d *Data, e E) (E, error) {
	out, err := m.DoEvaluation(ctx, d, EvaluationOptions{}, e)
	if err != nil {
		return *new(E), err
	}
	return out[0].(E), nil
}

type evaluateConfig struct {
	applied
	Evaluations []byte // empty ones, from encodeEvaluations
	Outputs     []int  // by evaluation
	Revert      []byte // normalizer.bin; nil for none
	Score       bool   // compute the losses, too
}

var evaluate = engine.Register("distributed.evaluate",
	func(t *engine.Task, conf evaluateConfig, in engine.Rows, out engine.Writer) error {
		evals, err := decodeEvaluations(conf.Evaluations)
		if err != nil {
			return engine.Permanent(err)
		}
		revert, err := readReverting(conf.Revert)
		if err != nil {
			return engine.Permanent(err)
		}
		nets, err := conf.replicas(t)
		if err != nil {
			return err
		}
		var losses compensated
		batches := 0
		for it := Minibatches(in, conf.Batch); ; batches++ {
			m, err := it.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			var outputs []*tensor.Dense
			at := batches * conf.Batch
			said := func(err error) error {
				if err == nil {
					return nil
				}
				return engine.Permanent(fmt.Errorf("examples %d to %d of partition %d: %w", at, at+m.Examples()-1, t.Partition,
					err))
			}
			err = nets.use(t.Context(), func(net *nn.Network) error {
				if batches == 0 {
					if err = checkLabels(net, m); err == nil {
						err = net.Check(m)
					}
				}
				if err == nil {
					outputs, err = conf.outputs(net, m, &losses)
				}
				if err == nil && revert != nil {
					err = revert.RevertLabels(outputs, nil)
				}
				if err == nil && revert != nil {
					err = revert.RevertLabels(m.Labels, m.LabelMasks)
				}
				return said(err)
			})
			if err != nil {
				return err
			}
			for i, e := range evals { // other tasks may use the replica meanwhile
				k := conf.Outputs[i]
				if len(m.Labels) <= k {
					return said(fmt.Errorf("an example has %d arrays of labels, the first one had more", len(m.Labels)))
				}
				if err := e.Eval(m.Labels[k], outputs[k], m.LabelMask(k)); err != nil {
					return said(err)
				}
			}
		}
		if batches == 0 { // outside use: other tasks may use the replica meanwhile
			return nil
		}
		return writeEvaluated(out, evaluated{losses, evals})
	})

// outputs returns the network's outputs for a minibatch. If the losses are wanted, it also adds them to the sum.
func (conf *evaluateConfig) outputs(net *nn.Network, m *data.MultiDataSet, to *compensated) ([]*tensor.Dense, error) {
	if !conf.Score {
		return net.Output(m, false)
	}
	outputs, losses, err := net.OutputAndScores(m)
	for _, x := range losses {
		to.add(x)
	}
	to.n += int64(len(losses))
	return outputs, err
}
