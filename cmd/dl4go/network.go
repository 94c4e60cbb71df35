package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/storage"
)

// network is what --model names.
type network struct {
	*nn.Network
	title string // for people
	seed  int64
	// trained: the parameters come from a model zip.
	trained bool
	// normalizer is that of the model zip; nil if it has none.
	normalizer normalizer.Normalizer
}

// openNetwork opens a built-in configuration for data like info's, a configuration's JSON or YAML, or a model zip, and says
// what of a file is not as it was. seed, unless nil, takes the place of the configuration's.
func openNetwork(ctx context.Context, o *output, model string, info source.Info, seed *int64) (*network, error) {
	net, err := networkOf(ctx, model, info, seed)
	if err == nil {
		o.notices(model, net.Notices())
	}
	return net, err
}

// openTrained opens a model zip.
func openTrained(ctx context.Context, o *output, model string) (*network, error) {
	if !slices.Contains(nn.BuiltIns(), model) {
		net, err := openNetwork(ctx, o, model, source.Info{}, nil)
		if err != nil || net.trained {
			return net, err
		}
	}
	return nil, usagef("--model %s: it is a configuration without parameters; a model zip is needed, such as dl4go train saves", model)
}

func networkOf(ctx context.Context, model string, info source.Info, seed *int64) (*network, error) {
	if slices.Contains(nn.BuiltIns(), model) {
		return builtIn(model, info, seed)
	}
	head, err := modelfile.Head(ctx, model)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(model, `/\.`) {
		return nil, usagef("--model %s: there is no such file, and no built-in network of that name%s; there are %s",
			model, registry.SuggestWord(model, nn.BuiltIns()), strings.Join(nn.BuiltIns(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK")):
		return modelFile(ctx, model, seed)
	case source.UTF16(head):
		return nil, fmt.Errorf("--model: %s is text in UTF-16: save it as UTF-8", model)
	case modelfile.IsConfiguration(model, head):
		return configurationFile(ctx, model, seed)
	}
	return nil, fmt.Errorf("--model: %s is neither a model zip nor a configuration's JSON or YAML", model)
}

// defaultSeed is that of built-in networks.
const defaultSeed = 1

func builtIn(name string, info source.Info, seed *int64) (*network, error) {
	n := &network{title: name, seed: defaultSeed}
	if seed != nil {
		n.seed = *seed
	}
	c, err := nn.BuiltIn(name, nn.BuiltInData{Input: inputOf(info), Classes: classesOf(info)}, n.seed)
	if err != nil {
		return nil, fmt.Errorf("--model: %w (%s)", err, info.Name)
	}
	net, err := nn.New(c)
	if err != nil {
		return nil, fmt.Errorf("--model %s: %w", name, err)
	}
	n.Network = net.Base()
	return n, nil
}

func configurationFile(ctx context.Context, path string, seed *int64) (*network, error) {
	text, err := storage.ReadFile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	n := &network{title: path}
	n.Network, err = nn.Replica(text)
	if err != nil {
		return nil, fmt.Errorf("--model %s: %w", path, err)
	}
	if seed != nil {
		n.SetSeed(*seed)
	}
	n.seed = n.Seed()
	n.Init(uint64(n.seed))
	return n, nil
}

func modelFile(ctx context.Context, path string, seed *int64) (*network, error) {
	n := &network{title: path, trained: true}
	var err error
	if n.Network, err = nn.LoadNetworkContext(ctx, path); err != nil {
		return nil, fmt.Errorf("--model: %w", err)
	}
	n.seed = n.Seed()
	if seed != nil {
		n.seed = *seed
	}
	if err := n.readNormalizer(path); err != nil {
		return nil, fmt.Errorf("--model %w", err)
	}
	return n, nil
}

// readNormalizer reads the normalizer of the model zip, which is at path.
func (n *network) readNormalizer(path string) (err error) {
	if b := n.Network.Normalizer(); b != nil {
		if n.normalizer, err = normalizer.Read(bytes.NewReader(b), int64(len(b))); err != nil {
			return fmt.Errorf("%s: normalizer.bin: %w", path, err)
		}
	}
	return nil
}

// inputOf is the input type of data.
func inputOf(i source.Info) inputtype.Type {
	x := i.Features[0]
	switch {
	case i.Image != nil && len(x) == 1:
		return inputtype.ConvolutionalFlat(i.Image.Height, i.Image.Width, i.Image.Channels)
	case len(x) == 1:
		return inputtype.FeedForward(x[0])
	case len(x) == 2:
		return inputtype.Recurrent(x[0], max(0, x[1]))
	case len(x) == 3:
		return inputtype.Convolutional(x[1], x[2], x[0])
	}
	return inputtype.Type{}
}

// classesOf is the number of classes that a built-in network is to tell apart.
func classesOf(i source.Info) int {
	if i.Classes > 0 || len(i.Labels) == 0 {
		return i.Classes
	}
	return i.Labels[0][0]
}

// describe says in a few words what the examples are like.
func describe(i source.Info) string {
	var s string
	switch {
	case i.Image != nil && i.Image.Channels == 1:
		s = fmt.Sprintf("images of %dx%d", i.Image.Height, i.Image.Width)
	case i.Image != nil:
		s = fmt.Sprintf("images of %dx%d with %d channels", i.Image.Height, i.Image.Width, i.Image.Channels)
	case len(i.Features) == 1:
		s = fmt.Sprintf("features %v", i.Features[0])
	default:
		s = fmt.Sprintf("%d arrays of features", len(i.Features))
	}
	switch {
	case i.Classes > 0:
		s += fmt.Sprintf(", %d classes", i.Classes)
	case len(i.Labels) == 1:
		s += fmt.Sprintf(", labels %v", i.Labels[0])
	case len(i.Labels) == 0:
		s += ", no labels"
	}
	return s
}
