package prepare

import (
	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/nn"
)

// ScaleLabels puts a normalizer into a network that is to learn numbers: it standardises labels, and leaves features as
// they are, because a pipeline has standardised them.
func ScaleLabels(net *nn.Network, s source.Source) (data.Normalizer, error) {
	n := data.NewHybridScaler(data.ScalerStrategy{}, data.ScalerStrategy{Kind: data.Standardize}, nil, nil)
	err := distributed.Labels(s, func(labels source.Source) error { return modelfile.FitNormalizer(net, n, labels) })
	return n, err
}
