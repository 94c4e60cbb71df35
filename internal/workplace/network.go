package workplace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/nn"
)

// OpenWished opens a built-in network for data like info's, a configuration's JSON or YAML, or a model zip. It warns of
// what was changed in reading a file. If seed is not nil, it replaces the network's. Wishes are for networks that are
// made for the data.
func OpenWished(ctx context.Context, o *console.Output, model string, info source.Info, seed *int64,
	w modelfile.Wish) (*modelfile.Opened, error) {
	net, err := networkOf(ctx, model, info, seed, w)
	if err == nil {
		o.Notices(model, net.Notices())
	}
	return net, err
}

// OpenTrained opens a model zip.
func OpenTrained(ctx context.Context, o *console.Output, model string) (*modelfile.Opened, error) {
	if !slices.Contains(nn.BuiltIns(), model) {
		net, err := OpenWished(ctx, o, model, source.Info{}, nil, modelfile.Wish{})
		if err != nil || net.Trained {
			return net, err
		}
	}
	return nil,
		usage.Errorf("--model %s: it is a configuration without parameters; a model zip is needed, such as dl4go train saves",
			model)
}

// networkOf opens the network that --model names.
func networkOf(ctx context.Context, model string, info source.Info, seed *int64, w modelfile.Wish) (
	*modelfile.Opened, error) {
	o, err := modelfile.OpenFor(ctx, model, info, seed, w)
	err = ShapeMistake(err)
	if bad := (*modelfile.OpenError)(nil); errors.As(err, &bad) {
		err = fmt.Errorf("--model%s: %w", map[bool]string{false: " " + bad.Path}[bad.Path == ""], bad.Err)
		if bad.Wrong {
			err = &usage.Error{Err: err}
		}
	}
	return o, err
}

// ShapeMistake turns an error about a shape into one about its flag.
func ShapeMistake(err error) error {
	if wrong := (*nn.ShapeError)(nil); errors.As(err, &wrong) {
		return usage.Errorf("--%s: %s: %s", wrong.Setting, wrong.Network, wrong.Problem)
	}
	return err
}
