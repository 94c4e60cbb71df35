package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/nn"
)

// openNetwork opens a built-in configuration for data like info's, a configuration's JSON or YAML, or a model zip, and
// warns of what was changed in reading a file. If seed is not nil, it replaces the configuration's.
func openNetwork(ctx context.Context, o *console.Output, model string, info source.Info, seed *int64) (
	*modelfile.Opened, error) {
	return openWished(ctx, o, model, info, seed, modelfile.Wish{})
}

// openWished is openNetwork with wishes for networks that are made for the data.
func openWished(ctx context.Context, o *console.Output, model string, info source.Info, seed *int64,
	w modelfile.Wish) (*modelfile.Opened, error) {
	net, err := networkOf(ctx, model, info, seed, w)
	if err == nil {
		o.Notices(model, net.Notices())
	}
	return net, err
}

// openTrained opens a model zip.
func openTrained(ctx context.Context, o *console.Output, model string) (*modelfile.Opened, error) {
	if !slices.Contains(nn.BuiltIns(), model) {
		net, err := openNetwork(ctx, o, model, source.Info{}, nil)
		if err != nil || net.Trained {
			return net, err
		}
	}
	return nil,
		usagef("--model %s: it is a configuration without parameters; a model zip is needed, such as dl4go train saves",
			model)
}

// networkOf opens the network that --model names.
func networkOf(ctx context.Context, model string, info source.Info, seed *int64, w modelfile.Wish) (
	*modelfile.Opened, error) {
	o, err := modelfile.OpenFor(ctx, model, info, seed, w)
	err = shapeMistake(err)
	if bad := (*modelfile.OpenError)(nil); errors.As(err, &bad) {
		err = fmt.Errorf("--model%s: %w", map[bool]string{false: " " + bad.Path}[bad.Path == ""], bad.Err)
		if bad.Wrong {
			err = &usageError{err}
		}
	}
	return o, err
}

// ours refuses the extensions of other programs' files.
func ours(flag, path string) error {
	if err := modelfile.CheckName(path); err != nil {
		return usagef("%s %s: %w", flag, path, err)
	}
	return nil
}
