package nn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// Task is what a network learns.
type Task string

// The tasks. The zero value is Classification.
const (
	Classification Task = "classification" // one class of several: softmax, negative log likelihood
	MultiLabel     Task = "multilabel"     // any number of labels at once: sigmoid, binary cross entropy
	Regression     Task = "regression"     // numbers: identity, mean squared error
)

// BuiltInData describes the data that a built-in network will be trained on.
type BuiltInData struct {
	// Input is the type of the features. Images in rows are inputtype.ConvolutionalFlat.
	Input inputtype.Type
	// Classes is the number of label columns.
	Classes int
	// Task decides the output layer.
	Task Task
	// PerStep means that each step of a sequence has its own labels.
	PerStep bool
	// Words is the number of different tokens, if the features of a sequence are token numbers, and 0 otherwise. The
	// networks lstm and gru learn a vector for each token.
	Words int
	// Categories are the feature columns that hold category numbers, in the order of the columns. A network of vectors
	// or sequences learns a vector for each category. Such a network is a graph: use NewBuiltIn.
	Categories []Category
}

// builtIn is a built-in configuration: a stack of layers or a graph.
type builtIn struct {
	about string
	make  func(BuiltInData, *shaper) (Configuration, error)
	graph func(BuiltInData, *shaper) (GraphConfiguration, error)
}

var builtIns = map[string]builtIn{
	"mlp":     {about: "one hidden layer of 500, Nesterovs", make: mlp},
	"lenet":   {about: "two convolutions with max pooling and a hidden layer, Adam", make: lenet},
	"cnn":     {about: "two convolutions with batch normalisation and dropout, Adam", make: cnn},
	"softmax": {about: "softmax regression, no hidden layer, Adam", make: softmax},
	"lstm":    {about: "sequences: a recurrent layer of 64, Adam", make: lstm},
	"gru":     {about: "sequences: a gated recurrent layer of 64, Adam", make: gru},
	"vgg":     {about: "images: three blocks of two convolutions, Adam", make: vggSmall},
	"vgg16":   {about: "images of 32x32 and more: 13 convolutions, Nesterovs", make: vgg16},
	"resnet": {about: "images: three residual blocks of 16 to 64 filters, Adam",
		graph: residual{8, 16, []int{1, 1, 1}, false}.make},
	"resnet18": {about: "images of 32x32 and more, Adam", graph: residual{32, 64, []int{2, 2, 2, 2}, false}.make},
	"resnet34": {about: "images of 32x32 and more, Adam", graph: residual{32, 64, []int{3, 4, 6, 3}, false}.make},
	"resnet50": {about: "images of 32x32 and more, Adam", graph: residual{32, 64, []int{3, 4, 6, 3}, true}.make},
}

// BuiltIns lists the built-in configurations in order.
func BuiltIns() []string { return slices.Sorted(maps.Keys(builtIns)) }

// AboutBuiltIn describes a built-in configuration in a line.
func AboutBuiltIn(name string) string { return builtIns[name].about }

// BuiltIn returns the configuration of that name for the data. Graphs, such as resnet, need [NewBuiltIn].
func BuiltIn(name string, d BuiltInData, seed int64) (Configuration, error) {
	return ShapedBuiltIn(name, d, Shape{}, seed)
}

// ShapedBuiltIn is BuiltIn with settings. Errors in the settings are [ShapeError]s.
func ShapedBuiltIn(name string, d BuiltInData, shape Shape, seed int64) (Configuration, error) {
	m, s, err := findBuiltIn(name, d, shape)
	if err != nil {
		return Configuration{}, err
	}
	if m.make == nil || len(d.Categories) > 0 {
		return Configuration{}, fmt.Errorf("network %s is a graph: use NewBuiltIn", name)
	}
	c, err := m.make(d, s)
	if err != nil {
		return c, fmt.Errorf("network %s: %w", name, err)
	}
	if err := s.finish(name, &c, seed); err != nil {
		return c, err
	}
	c.InputType = d.Input
	return c.Complete()
}

// NewBuiltIn makes the network of that name for the data and draws its parameters. Errors in the shape are
// [ShapeError]s.
func NewBuiltIn(name string, d BuiltInData, shape Shape, seed int64) (*Network, error) {
	if builtIns[name].graph == nil && len(d.Categories) == 0 {
		c, err := ShapedBuiltIn(name, d, shape, seed)
		if err != nil {
			return nil, err
		}
		m, err := New(c)
		if err != nil {
			return nil, err
		}
		return m.Base(), nil
	}
	m, s, err := findBuiltIn(name, d, shape)
	if err != nil {
		return nil, err
	}
	c, err := m.graphFor(d, s)
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", name, err)
	}
	if err := s.finish(name, &c.Defaults, seed); err != nil {
		return nil, err
	}
	g, err := NewGraph(c)
	if err != nil {
		return nil, err
	}
	return g.Base(), nil
}

// graphFor returns the network as a graph, with embeddings of the data's categories.
func (m builtIn) graphFor(d BuiltInData, s *shaper) (g GraphConfiguration, err error) {
	if len(d.Categories) == 0 {
		return m.graph(d, s)
	}
	merged, err := d.merged()
	if err != nil {
		return g, err
	}
	if m.make == nil {
		return g, fmt.Errorf("it takes images, and the data has columns of categories")
	}
	c, err := m.make(merged, s)
	if err != nil {
		return g, err
	}
	return d.embeds(c), nil
}

// findBuiltIn finds a built-in network, and checks the data's labels and the shape.
func findBuiltIn(name string, d BuiltInData, shape Shape) (builtIn, *shaper, error) {
	m, ok := builtIns[name]
	if !ok {
		return m, nil, fmt.Errorf("no built-in network is called %q: there are %s", name, strings.Join(BuiltIns(), ", "))
	}
	if err := d.check(); err != nil {
		return m, nil, fmt.Errorf("network %s: %w", name, err)
	}
	return m, &shaper{shape, map[string]bool{}}, shape.check(name)
}

// finish applies the settings that all networks have.
func (s *shaper) finish(name string, c *Configuration, seed int64) error {
	if err := s.apply(name, c); err != nil {
		return err
	}
	c.Seed = seed
	if c.WeightInit == nil {
		c.WeightInit = weights.Xavier{}
	}
	return nil
}

// check reports an error if the labels do not fit the task.
func (d BuiltInData) check() error {
	switch {
	case d.Task == Regression || d.Task == MultiLabel:
		if d.Classes < 1 {
			return fmt.Errorf("the data has %d label columns", d.Classes)
		}
	case d.Task != Classification && d.Task != "":
		return fmt.Errorf("the task %q is unknown: it is one of %s, %s, %s", d.Task, Classification, MultiLabel, Regression)
	case d.Classes < 2:
		return fmt.Errorf("it needs 2 or more classes, and the data has %d", d.Classes)
	}
	return nil
}

// Output returns the activation and the loss of the output layer.
func (d BuiltInData) Output() (activation.Activation, loss.Loss) {
	switch d.Task {
	case Regression:
		return activation.Identity{}, loss.MSE{}
	case MultiLabel:
		return activation.Sigmoid{}, loss.NewXENT()
	}
	return activation.Softmax{}, loss.NewNegativeLogLikelihood()
}

// builtInOutput returns the output layer. It drops some of its inputs unless drop is nil.
func builtInOutput(d BuiltInData, drop regularization.Dropout) layer.Layer {
	act, of := d.Output()
	if d.PerStep {
		l := layer.RnnOutput{NOut: d.Classes, Activation: act, Loss: of}
		l.Dropout = drop
		return l
	}
	l := layer.Output{NOut: d.Classes, Activation: act, Loss: of}
	l.Dropout = drop
	return l
}

// mlp is a multi-layer perceptron.
func mlp(d BuiltInData, s *shaper) (Configuration, error) {
	layers, drop := s.dense(500)
	return Configuration{
		Updater: updater.Nesterovs{LearningRate: 0.1, Momentum: 0.9},
		Layers:  append(layers, builtInOutput(d, drop)),
	}, nil
}

// softmax is multinomial logistic regression.
func softmax(d BuiltInData, _ *shaper) (Configuration, error) {
	return Configuration{Updater: updater.NewAdam(), Layers: []layer.Layer{builtInOutput(d, nil)}}, nil
}
