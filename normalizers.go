package dl4go

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/nn"
)

// Normalizer makes the normalizer of a model to be trained on data like the info's. A [data.Fitter] is then
// fitted to the training data. The model keeps the normalizer, and its predictions apply it.
type Normalizer func(i source.Info) data.Normalizer

// Standardize shifts and scales each column of the features to mean 0 and standard deviation 1. It also does so with
// the numbers to predict: predictions are converted back to their own unit.
func Standardize(i source.Info) data.Normalizer {
	targets := len(i.Labels) > 0 && i.Classes == 0
	if len(i.Features) == 1 {
		return data.NewStandardize(targets)
	}
	return data.NewMultiStandardize(targets)
}

// MinMax shifts and scales each column of the features to the range from 0 to 1, and the numbers to predict, as
// Standardize does.
func MinMax(i source.Info) data.Normalizer {
	targets := len(i.Labels) > 0 && i.Classes == 0
	if len(i.Features) == 1 {
		return data.NewMinMax(0, 1, targets)
	}
	return data.NewMultiMinMax(0, 1, targets)
}

// fitted makes the normalizer for the data, and puts it into the network.
func (make Normalizer) fitted(net *nn.Network, s source.Source) (data.Normalizer, error) {
	n := make(s.Info())
	if n == nil {
		return nil, nil
	}
	if err := modelfile.FitNormalizer(net, n, s); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Info().Name, err)
	}
	return n, nil
}

// normalizerOf reads the network's normalizer; nil if it has none.
func normalizerOf(net *nn.Network) (data.Normalizer, error) {
	n, err := modelfile.NormalizerOf(net)
	if err != nil {
		return nil, fmt.Errorf("the network's %w", err)
	}
	return n, nil
}
