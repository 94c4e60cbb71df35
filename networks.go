package dl4go

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/shortnet"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/storage"
)

// Network makes the network that will be trained on data like the info's. A seed other than 0 replaces the network's
// own seed, which determines the initial parameters and the order of the examples.
type Network func(ctx context.Context, i source.Info, seed int64) (nn.AnyNetwork, error)

// MLP is a multi-layer perceptron with hidden layers of these sizes: rectified, with Xavier's initialisation and Adam
// with a learning rate of 0.001. Its output fits the data: softmax and cross entropy for classes, the identity and the
// mean squared error for numbers, sigmoids for labels that are each present or absent. Without hidden layers it is a
// softmax or a linear regression. Its own seed is 1.
func MLP(hidden ...int) Network {
	return func(ctx context.Context, i source.Info, seed int64) (nn.AnyNetwork, error) {
		c := nn.Configuration{Seed: 1, Updater: updater.NewAdam()}
		for _, n := range hidden {
			c.Layers = append(c.Layers, layer.Dense{NOut: n, Activation: activation.ReLU{}})
		}
		c.Layers = append(c.Layers, layer.Output{})
		return Layers(c)(ctx, i, seed)
	}
}

// Named is a built-in network: mlp, softmax, lstm and gru for sequences, and lenet, cnn, vgg and others for images. See
// [nn.BuiltIns]. Its own seed is 1.
func Named(name string) Network { return Shaped(name, nn.Shape{}) }

// Shaped is [Named] with settings, such as the sizes of hidden layers. Without any, an mlp for fewer than 10,000
// examples of raw columns has a lower learning rate and L2 regularization, as in dl4go train.
func Shaped(name string, s nn.Shape) Network {
	return func(ctx context.Context, i source.Info, seed int64) (nn.AnyNetwork, error) {
		if seed == 0 {
			seed = modelfile.DefaultSeed
		}
		return nn.NewBuiltIn(name, describe(ctx, i), modelfile.ForTable(name, i, s), seed)
	}
}

// taskKey is the key of the task of [Network.For] in a context.
type taskKey struct{}

// describe describes the data, with the task of [Network.For].
func describe(ctx context.Context, i source.Info) nn.BuiltInData {
	d := modelfile.DataOf(i)
	if task, ok := ctx.Value(taskKey{}).(nn.Task); ok {
		d.Task = task
	}
	return d
}

// For makes an MLP or a built-in network for a task that the data does not tell. Labels of 0 and 1 in a row may be one
// class of several, several labels, or numbers.
func (make Network) For(task nn.Task) Network {
	return func(ctx context.Context, i source.Info, seed int64) (nn.AnyNetwork, error) {
		return make(context.WithValue(ctx, taskKey{}, task), i, seed)
	}
}

// Layers is a network of layers in a row. Without an InputType it gets the data's. If the last layer is a
// [layer.Output] or [layer.RnnOutput], its open fields fit the data: NOut is the number of classes or of numbers to
// predict, and Activation and Loss, if both are nil, are those of [MLP].
func Layers(c nn.Configuration) Network {
	return func(ctx context.Context, i source.Info, seed int64) (nn.AnyNetwork, error) {
		of, d := c, describe(ctx, i)
		if of.InputType.Kind == inputtype.Unknown {
			of.InputType = d.Input
		}
		if n := len(c.Layers); n > 0 {
			last, err := fitted(c.Layers[n-1], d, i)
			if err != nil {
				return nil, err
			}
			of.Layers = append(slices.Clone(c.Layers[:n-1]), last)
		}
		if seed != 0 {
			of.Seed = seed
		}
		return nn.New(of)
	}
}

// fitted fills in the open fields of an output layer.
func fitted(l layer.Layer, d nn.BuiltInData, i source.Info) (layer.Layer, error) {
	fit := func(nOut *int, act *activation.Activation, of *loss.Loss) error {
		*nOut = cmp.Or(*nOut, d.Classes)
		switch {
		case *act != nil || *of != nil:
		case d.Task == nn.MultiLabel:
			*act, *of = activation.Sigmoid{}, loss.NewXENT()
		case d.Task == nn.Regression, d.Task == "" && i.Classes == 0:
			*act, *of = activation.Identity{}, loss.MSE{}
		case i.Classes == 1:
			return fmt.Errorf("%s has one class; a network needs two to tell apart", i.Name)
		default:
			*act, *of = activation.Softmax{}, loss.NewMCXENT()
		}
		return nil
	}
	switch out := l.(type) {
	case layer.Output:
		err := fit(&out.NOut, &out.Activation, &out.Loss)
		return out, err
	case layer.RnnOutput:
		err := fit(&out.NOut, &out.Activation, &out.Loss)
		return out, err
	}
	return l, nil
}

// Graph is a network of layers and vertices, with any number of inputs and outputs.
func Graph(c nn.GraphConfiguration) Network {
	return func(_ context.Context, _ source.Info, seed int64) (nn.AnyNetwork, error) {
		of := c
		if seed != 0 {
			of.Defaults.Seed = seed
		}
		return nn.NewGraph(of)
	}
}

// Trained continues to train a network, such as that of a [Model] or of transfer learning, with its parameters,
// updater state, normalizer and names. It trains a copy.
func Trained(net nn.AnyNetwork) Network {
	return func(_ context.Context, _ source.Info, seed int64) (nn.AnyNetwork, error) {
		if net == nil {
			return nil, errors.New("dl4go.Trained: there is no network: it is nil")
		}
		n := net.Base().Copy()
		if seed != 0 {
			n.SetSeed(seed)
		}
		return n, nil
	}
}

// File is a network in a file. A model zip, or a model of another program that [Import] knows, is trained further. The
// JSON or YAML of a configuration gets new parameters. So does a network in the short form, whose open sizes follow
// from the data.
func File(path string) Network {
	return func(ctx context.Context, i source.Info, seed int64) (nn.AnyNetwork, error) {
		head, err := modelfile.Head(ctx, path)
		if err != nil {
			return nil, err
		}
		var net *nn.Network
		if !modelfile.IsModel(head) && !modelfile.IsForeign(path, head) {
			net, err = configured(ctx, path, i, seed)
		} else if net, err = Import(ctx, path, ImportOptions{}); err == nil && seed != 0 {
			net.SetSeed(seed)
		}
		if err != nil {
			return nil, fmt.Errorf("network %s: %w", path, err)
		}
		return net, nil
	}
}

// configured returns the network of a configuration, with new parameters.
func configured(ctx context.Context, path string, i source.Info, seed int64) (*nn.Network, error) {
	content, err := storage.ReadFile(ctx, path)
	if err == nil && shortnet.Is(content) {
		content, err = shortnet.Configuration(content, modelfile.DataOf(i))
	}
	if err != nil {
		return nil, err
	}
	net, err := nn.Replica(content)
	if err != nil {
		return nil, err
	}
	net.Init(uint64(cmp.Or(seed, net.Seed())))
	if seed != 0 {
		net.SetSeed(seed)
	}
	return net, nil
}
