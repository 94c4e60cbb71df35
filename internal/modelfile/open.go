package modelfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/internal/shortnet"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
)

// Opened is a network that the user named.
type Opened struct {
	*nn.Network
	Title string // for people
	Seed  int64
	// Trained reports that the parameters come from a model zip.
	Trained bool
	// Normalizer is the model zip's; nil if it has none.
	Normalizer data.Normalizer
	// Preparation is the pipeline in the model zip; nil if it has none.
	Preparation *source.Preparation
}

// DefaultSeed is the seed of built-in networks.
const DefaultSeed = 1

// OpenError is the reason why a network could not be opened.
type OpenError struct {
	Path  string // the name that was given; empty if Err has it
	Err   error
	Wrong bool // nothing has this name
}

// Error names the file.
func (e *OpenError) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

func (e *OpenError) Unwrap() error { return e.Err }

// Wish holds the user's wishes for a network that is made for data.
type Wish struct {
	Shape nn.Shape // of a built-in network
	Task  nn.Task  // empty: as the data says
	// Numbers reports that the data was opened with numbers as labels, whatever they look like.
	Numbers bool
}

// refused is the error of a wish that can't be applied to a file.
func (w Wish) refused(model, setting string) error {
	return &nn.ShapeError{Network: model, Setting: setting, Problem: "the file sets it; leave it out, or change the file"}
}

// data is DataOf, with the task of the wish.
func (w Wish) data(info source.Info) nn.BuiltInData {
	d := DataOf(info)
	switch {
	case w.Task != "":
		d.Task = w.Task
	case w.Numbers:
		d.Task = nn.Regression
	}
	return d
}

// Open opens a built-in configuration for data like info's, a configuration's JSON or YAML, or a model zip. If seed is
// not nil, it replaces the configuration's. Errors are *[OpenError].
func Open(ctx context.Context, model string, info source.Info, seed *int64) (*Opened, error) {
	return OpenFor(ctx, model, info, seed, Wish{})
}

// OpenFor is Open with wishes. A wish that does not apply to the network is a *[nn.ShapeError].
func OpenFor(ctx context.Context, model string, info source.Info, seed *int64, w Wish) (*Opened, error) {
	if slices.Contains(nn.BuiltIns(), model) {
		return builtIn(model, info, seed, w)
	}
	given := w.Shape.Given()
	head, err := Head(ctx, model)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(model, `/\.`) {
		return nil,
			&OpenError{model, fmt.Errorf("there is no such file, and no built-in network of that name%s; there are %s",
				registry.SuggestWord(model, nn.BuiltIns()), strings.Join(nn.BuiltIns(), ", ")), true}
	}
	if err != nil {
		return nil, &OpenError{Err: err}
	}
	switch {
	case IsModel(head) && len(given) > 0:
		return nil, w.refused(model, given[0])
	case IsModel(head) && w.Task != "":
		return nil, w.refused(model, "task")
	case IsModel(head):
		return modelFile(ctx, model, seed)
	case source.UTF16(head):
		return nil, &OpenError{Err: fmt.Errorf("%s is text in UTF-16: save it as UTF-8", model)}
	case IsForeign(model, head):
		return nil, &OpenError{Err: fmt.Errorf("%s is an ONNX, Keras or safetensors model; make a model zip of it: "+
			"dl4go convert %[1]s model.zip", model)}
	case IsConfiguration(model, head):
		return configurationFile(ctx, model, info, seed, w)
	}
	return nil, &OpenError{Err: fmt.Errorf("%s is neither a model zip nor a configuration's JSON or YAML", model)}
}

func builtIn(name string, info source.Info, seed *int64, w Wish) (*Opened, error) {
	n := &Opened{Title: name, Seed: DefaultSeed}
	if seed != nil {
		n.Seed = *seed
	}
	d := w.data(info)
	net, err := nn.NewBuiltIn(name, d, ForTable(name, info, w.Shape), n.Seed)
	if wrong := (*nn.ShapeError)(nil); errors.As(err, &wrong) {
		return nil, err
	}
	if err != nil {
		return nil, &OpenError{Err: fmt.Errorf("%w (%s)", err, info.Name)}
	}
	n.Network = net
	return n, nil
}

// smallTable is the number of examples from which a table is large.
const smallTable = 10_000

// ForTable completes the settings of the perceptron for a small table whose columns a pipeline has standardised. The
// learning rate for images overshoots there, above all if the label is a number. For a number, the fewer examples
// there are, the stronger the regularization. Settings that were given stay.
func ForTable(name string, info source.Info, s nn.Shape) nn.Shape {
	if name != "mlp" || info.Task == "" || info.Examples >= smallTable || len(s.Given()) > 0 {
		return s
	}
	s.LearningRate, s.L2 = 0.01, 1e-3
	if info.Task == source.Regression {
		s.L2 = min(max(10/float64(max(info.Examples, 1)), s.L2), 0.03)
	}
	return s
}

// MadeForData reports whether a network is made for its data: a built-in one, or one in the short form. Other files
// are complete.
func MadeForData(ctx context.Context, model string) bool {
	if slices.Contains(nn.BuiltIns(), model) {
		return true
	}
	head, err := Head(ctx, model)
	if err != nil || IsModel(head) || !IsConfiguration(model, head) {
		return false
	}
	text, err := storage.ReadFile(ctx, model)
	return err == nil && shortnet.Is(text)
}

func configurationFile(ctx context.Context, path string, info source.Info, seed *int64, w Wish) (*Opened, error) {
	text, err := storage.ReadFile(ctx, path)
	if err != nil {
		return nil, &OpenError{Err: err}
	}
	switch {
	case shortnet.Is(text):
		if text, err = shortnet.Configuration(text, w.data(info)); err != nil {
			return nil, &OpenError{Path: path, Err: err}
		}
	case w.Task != "":
		return nil, w.refused(path, "task")
	}
	n := &Opened{Title: path}
	n.Network, err = nn.Replica(text)
	if err != nil {
		return nil, &OpenError{Path: path, Err: err}
	}
	if seed != nil {
		n.SetSeed(*seed)
	}
	n.Seed = n.Network.Seed()
	n.Init(uint64(n.Seed))
	if len(w.Shape.Given()) == 0 {
		return n, nil
	}
	of := n.Network
	defer of.Close()
	if n.Network, err = nn.Reshape(of, path, w.Shape, n.Seed); err != nil {
		if shape := (*nn.ShapeError)(nil); errors.As(err, &shape) {
			return nil, err
		}
		return nil, &OpenError{Path: path, Err: err}
	}
	return n, nil
}

func modelFile(ctx context.Context, path string, seed *int64) (*Opened, error) {
	net, err := nn.LoadNetwork(ctx, path)
	if err != nil {
		return nil, &OpenError{Err: err}
	}
	n, err := FromNetwork(net, path, net.Seed())
	if err != nil {
		return nil, &OpenError{Path: path, Err: err}
	}
	if seed != nil {
		n.Seed = *seed
	}
	return n, nil
}

// FromNetwork returns a trained network with the normalizer and the pipeline of its model file.
func FromNetwork(net *nn.Network, title string, seed int64) (n *Opened, err error) {
	n = &Opened{Network: net, Title: title, Seed: seed, Trained: true}
	if n.Normalizer, err = NormalizerOf(net); err == nil {
		n.Preparation, err = PreparationOf(net)
	}
	return n, err
}
