package dl4go

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/onnx"
	"github.com/dl4go/dl4go/internal/safetensors"
	"github.com/dl4go/dl4go/nn"
)

// ImportOptions are settings of [Import]. The zero value has the defaults.
type ImportOptions struct {
	// Outputs names the values of an ONNX model that become the network's outputs, in this order. Nodes that none of
	// them needs are left out. Nil: the model's own outputs.
	Outputs []string
	// Like is the file of a model or a configuration with the same layers. It is needed for a safetensors file of
	// another program, which has only parameters.
	Like string
}

// Import reads a network from a model zip, or from a file of another program:
//
//   - Keras' .keras and .h5. The network computes Keras' numbers in Keras' layout. Training continues with the loss,
//     the optimizer and its state. docs/keras.md lists the layers.
//   - ONNX. A model for inference has neither losses nor updaters: an output gets the loss that suits its activation,
//     and the updater is Adam. docs/interchange.md lists the operators.
//   - safetensors, written by [Model.Export] or, with o.Like, by another program.
//
// No code in a file is run. The error names a layer, operator or setting that has no counterpart. The path may be a
// URL. [NewModel] makes a model of the network, [Trained] trains it further.
func Import(ctx context.Context, path string, o ImportOptions) (*nn.Network, error) {
	net, err := modelfile.Import(ctx, path, modelfile.ExchangeOptions{Outputs: o.Outputs, Like: o.Like})
	if errors.Is(err, safetensors.ErrNoConfiguration) {
		return nil, fmt.Errorf("%w; set ImportOptions.Like to a model of the same layers", err)
	}
	return net, err
}

// ExportOptions are settings of [Model.Export] for ONNX. The zero value has the defaults.
type ExportOptions struct {
	// InputShapes are the shapes of one example of each input, without the batch dimension. They are needed if the
	// configuration has no input type, and otherwise replace it. −1 is an open length of sequences. Nil: the
	// configuration's shapes.
	InputShapes [][]int
	// Masks adds an input to the ONNX model for the mask of each input of sequences, [batch, time].
	Masks bool
	// NoNormalizer omits the normalizer and the scaling of the pipeline: the ONNX model takes normalized features and
	// outputs normalized labels.
	NoNormalizer bool
}

// Export writes the model for other programs, and replaces an existing file. The extension selects the format: .onnx
// is a model for inference with the normalizer and the names of columns and classes (IR version 8, op set 17, higher
// only if an operator needs it); .safetensors has everything that a model zip has. An error names the layer that
// cannot be written. The path may be a URL.
func (m *Model) Export(ctx context.Context, path string, o ExportOptions) error {
	if m.closed.Load() {
		return ErrClosed
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !modelfile.Exchanged(path) {
		return fmt.Errorf("%s: Export writes .onnx and .safetensors files; Save writes model zips", path)
	}
	return modelfile.Export(ctx, m.net, path, modelfile.ExchangeOptions{
		ONNX: onnx.Options{InputShapes: o.InputShapes, Masks: o.Masks, NoNormalizer: o.NoNormalizer}})
}
