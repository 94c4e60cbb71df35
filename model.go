package dl4go

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/train"
)

// Model is a trained network with its normalizer and the names of its columns and classes. Features are in the form of
// the training data, and predicted numbers are in its unit. It is safe for concurrent use. Its predictions are those
// of a [serve.Predictor], which has more settings.
type Model struct {
	net       *nn.Network
	predictor *serve.Predictor
	result    *train.Result
	closed    atomic.Bool
}

// ErrClosed is the error of all methods of a Model after [Model.Close].
var ErrClosed = errors.New("the model is closed; use it before Close, or Load it again")

// NewModel makes a model of a network, its normalizer and its names. The network belongs to the model, and must not
// change afterwards.
func NewModel(net nn.AnyNetwork) (*Model, error) {
	if net == nil {
		return nil, errors.New("dl4go.NewModel: there is no network: it is nil")
	}
	predictor, err := serve.New(net, serve.Options{})
	if err != nil {
		return nil, err
	}
	return &Model{net: net.Base(), predictor: predictor}, nil
}

// Load reads a model file: of Model.Save, of dl4go train, of Deeplearning4j, or of another program that [Import] knows.
// The path may be a URL.
func Load(ctx context.Context, path string) (*Model, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	net, err := Import(ctx, path, ImportOptions{})
	if err != nil {
		return nil, err
	}
	return NewModel(net)
}

// Save writes a model file with parameters, updater state, normalizer and names, and replaces an existing file.
// Deeplearning4j opens it. The path may be a URL. [Model.Export] writes files for other programs.
func (m *Model) Save(ctx context.Context, path string) error {
	if m.closed.Load() {
		return ErrClosed
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if modelfile.Exchanged(path) {
		return fmt.Errorf("%s: Save writes model zips: use Export for a file of another program, or name a .zip", path)
	}
	return m.net.Save(ctx, path, nn.SaveOptions{})
}

// Close waits for current predictions and frees the model's threads and memory. All later calls, including Close,
// return ErrClosed.
func (m *Model) Close() error {
	if m.closed.Swap(true) {
		return ErrClosed
	}
	m.predictor.Close()
	m.net.Close()
	return nil
}

// Network returns the model's network. It must not be trained while the model is in use: [Trained] trains a copy.
func (m *Model) Network() *nn.Network { return m.net }

// Result returns the result of the run that trained the model. It is nil for a model that was loaded, or whose
// training was interrupted.
func (m *Model) Result() *train.Result { return m.result }

// Classes returns the names of the classes, in the order of the outputs; nil if the model has none. Do not change
// them.
func (m *Model) Classes() []string { return m.names().Classes }

// Columns returns the names of the features; nil if they have none. Do not change them.
func (m *Model) Columns() []string { return m.names().Features }

func (m *Model) names() data.Schema { return m.predictor.Names() }

// Read is the function Read for data of the model: columns and classes are matched by their names. If the model keeps a
// pipeline, raw columns go through it. The data has labels, as for [Model.Evaluate]; see [Model.ReadUnlabelled].
func (m *Model) Read(ctx context.Context, spec string) (source.Source, error) {
	return m.read(ctx, spec, false)
}

// ReadUnlabelled is Read for data to predict, which need not have labels.
func (m *Model) ReadUnlabelled(ctx context.Context, spec string) (source.Source, error) {
	return m.read(ctx, spec, true)
}

func (m *Model) read(ctx context.Context, spec string, unlabelled bool) (source.Source, error) {
	p, err := modelfile.PreparationOf(m.net)
	if err != nil {
		return nil, err
	}
	return readAs(ctx, spec, source.Options{As: m.net.Schema(), Preparation: p, Unlabelled: unlabelled})
}

// Evaluate compares the most likely classes with those of labelled data: accuracy, precision, recall, F1, confusion.
func (m *Model) Evaluate(ctx context.Context, s source.Source) (*eval.Evaluation, error) {
	e := eval.NewEvaluation(0)
	if names := m.Classes(); names != nil {
		e = eval.NewEvaluation(len(names))
		e.Labels = names
	}
	return e, m.EvaluateBy(ctx, s, e)
}

// EvaluateRegression compares the model's numbers with those of labelled data, in their own unit: mean squared and
// absolute errors, R².
func (m *Model) EvaluateRegression(ctx context.Context, s source.Source) (*eval.RegressionEvaluation, error) {
	e := eval.NewRegressionEvaluation(m.names().Labels...)
	return e, m.EvaluateBy(ctx, s, e)
}

// EvaluateBy adds labelled data to evaluations of the first output, such as an [eval.ROC]. After an error they may
// contain part of the data.
func (m *Model) EvaluateBy(ctx context.Context, s source.Source, evaluations ...eval.Evaluator) error {
	if s == nil {
		return errors.New("there is no data to evaluate on: it is nil")
	}
	if len(s.Info().Labels) == 0 {
		return fmt.Errorf("%s has no labels to evaluate by", s.Info().Name)
	}
	err := m.each(ctx, s, func(b *data.MultiDataSet, outputs []*tensor.Dense) error {
		if len(b.Labels) == 0 {
			return errors.New("examples without labels are among them")
		}
		for _, e := range evaluations {
			if err := e.Eval(b.Labels[0], outputs[0], b.LabelMask(0)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return eval.CheckCounted(evaluations...)
}

// evaluated is the number of examples that the model computes at once.
const evaluated = 256

// each calls f with the minibatches of data and the model's outputs.
func (m *Model) each(ctx context.Context, s source.Source, f func(*data.MultiDataSet, []*tensor.Dense) error) error {
	if m.closed.Load() {
		return ErrClosed
	}
	info := s.Info()
	if err := fits(m.net.Schema(), info); err != nil {
		return err
	}
	size := 0
	if _, table := s.(source.Table); table {
		size = evaluated
	}
	for it := source.Batches(s, size); ; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		b, err := it.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		outputs, err := m.PredictData(ctx, b)
		if err == nil {
			err = f(b, outputs)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", info.Name, err)
		}
	}
}
