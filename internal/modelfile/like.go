package modelfile

import (
	"context"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
)

// Like opens the network of o again for data, with other wishes. The new network gets the names, the normalizer and
// the pipeline that o's file keeps.
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
