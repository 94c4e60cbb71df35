package modelfile

import (
	"context"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
)

// Like opens a network for data, with other wishes than one that was opened for it, and gives it what the file of that
// one keeps: names, normalizer and pipeline.
func Like(ctx context.Context, o *Opened, model string, info source.Info, w Wish) (*nn.Network, error) {
	like, err := OpenFor(ctx, model, info, &o.Seed, w)
	if err != nil {
		return nil, err
	}
	net := like.Network
	if s := o.Network.Schema(); s != nil {
		if err := net.SetSchema(s); err != nil {
			return nil, err
		}
	}
	if b := o.Network.Normalizer(); b != nil {
		net.SetNormalizer(b)
	}
	if steps, labels := o.Network.Pipeline(); steps != nil {
		if err := net.SetPipeline(steps, labels); err != nil {
			return nil, err
		}
	}
	return net, nil
}
