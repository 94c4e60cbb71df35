package results

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
)

// Kinds are the extensions of files of predictions.
var Kinds = []string{".npy", ".csv", ".jsonl", ".parquet"}

// Outputs returns the names of a graph's outputs, or one empty name for any other network.
func Outputs(net *nn.Network) []string {
	if g, ok := nn.As[*nn.Graph](net); ok {
		return slices.Clone(g.Config().Outputs)
	}
	return []string{""}
}

// Classifies reports whether the network's only output is the probabilities of classes.
func Classifies(net *nn.Network) bool {
	layers := net.OutputLayers()
	if len(layers) != 1 {
		return false
	}
	_, steps := layers[0].(layer.RnnOutput)
	return !steps && IsSoftmax(layers[0])
}

// IsSoftmax reports whether an output is the probabilities of classes, perhaps of each time step.
func IsSoftmax(output layer.Layer) bool {
	var last activation.Activation
	switch l := output.(type) {
	case layer.Output:
		last = l.Activation
	case layer.Loss:
		last = l.Activation
	case layer.RnnOutput:
		last = l.Activation
	}
	_, ok := last.(activation.Softmax)
	return ok
}

// PathOf inserts a name before a path's extension: out.json becomes out.NAME.json. Without a name or a path it returns
// the path.
func PathOf(path, name string) string {
	if path == "" || name == "" {
		return path
	}
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "." + name + ext
}
