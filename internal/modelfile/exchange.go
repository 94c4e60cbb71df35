package modelfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/keras"
	"github.com/dl4go/dl4go/internal/onnx"
	"github.com/dl4go/dl4go/internal/safetensors"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/storage"
)

// ExchangeOptions are how files of other programs are read and written.
type ExchangeOptions struct {
	// ONNX are the options for writing an ONNX model.
	ONNX onnx.Options
	// Outputs names the values of an ONNX model that become the network's outputs; if empty, the model's own outputs
	// do.
	Outputs []string
	// Like is a model, or a configuration, whose network takes the parameters of a safetensors file.
	Like string
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Exchanged reports whether a file has the extension of another program's files that Convert can write.
func Exchanged(path string) bool { return exchangeWriters[extension(path)] != nil }

// exchangeWriters write networks as files of other programs, by the file name's extension.
var exchangeWriters = map[string]func(w io.Writer, net *nn.Network, o ExchangeOptions) error{
	".onnx": func(w io.Writer, net *nn.Network, o ExchangeOptions) error {
		types := net.InputTypes()
		if o.ONNX.InputShapes == nil && len(types) == 1 && types[0].Kind == inputtype.Unknown {
			if shape := source.ImageShape(net.Schema()); shape != nil {
				o.ONNX.InputShapes = [][]int{shape}
			}
		}
		return onnx.Write(w, net, o.ONNX)
	},
	".safetensors": func(w io.Writer, net *nn.Network, _ ExchangeOptions) error {
		return safetensors.Write(w, net)
	},
}

// IsForeign reports whether a file holds a network in another program's form.
func IsForeign(path string, head []byte) bool {
	return extension(path) == ".onnx" || safetensors.Is(head) || isKeras(path, head)
}

// isKeras reports whether a file is a Keras model, by its content or, for damaged files, by its name.
func isKeras(path string, head []byte) bool {
	return keras.Is(head) || extension(path) == ".keras"
}

// Import reads the network of a model zip or of another program's file. If a safetensors file needs o.Like, the error
// is [safetensors.ErrNoConfiguration].
func Import(ctx context.Context, from string, o ExchangeOptions) (*nn.Network, error) {
	head, err := Head(ctx, from)
	if err != nil {
		return nil, err
	}
	switch {
	case isKeras(from, head):
		return keras.Import(ctx, from)
	case IsForeign(from, head):
		return loadForeign(ctx, from, o)
	}
	return nn.LoadNetwork(ctx, from)
}

// loadForeign reads a network from a file of another program.
func loadForeign(ctx context.Context, path string, o ExchangeOptions) (*nn.Network, error) {
	if extension(path) == ".onnx" {
		b, err := storage.ReadFile(ctx, path)
		if err != nil {
			return nil, err
		}
		net, err := onnx.Read(b, onnx.ReadOptions{Outputs: o.Outputs})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return net, nil
	}
	f, err := storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if o.Like == "" {
		net, err := safetensors.Read(f, f.Size())
		if errors.Is(err, safetensors.ErrNoConfiguration) {
			return nil, fmt.Errorf("%s: %w", path, safetensors.ErrNoConfiguration)
		}
		return net, dl4j.In(err, path, "")
	}
	net, err := networkOf(ctx, o.Like)
	if err != nil {
		return nil, err
	}
	if err := safetensors.ReadInto(net, f, f.Size()); err != nil {
		net.Close()
		return nil, dl4j.In(err, path, "")
	}
	return net, nil
}

// networkOf reads the network of a model, or of a configuration.
func networkOf(ctx context.Context, path string) (*nn.Network, error) {
	head, err := Head(ctx, path)
	if err != nil {
		return nil, err
	}
	if IsConfiguration(path, head) {
		return configured(ctx, path)
	}
	return nn.LoadNetwork(ctx, path)
}

// Export writes a network as a file of another program. The extension must be one that [Exchanged] knows.
func Export(ctx context.Context, net *nn.Network, to string, o ExchangeOptions) error {
	err := storage.WriteFile(ctx, to, func(w io.Writer) error { return exchangeWriters[extension(to)](w, net, o) })
	if l := (*onnx.LayerError)(nil); errors.As(err, &l) {
		return fmt.Errorf("%s: %w", to, err)
	}
	return err
}

// check refuses options that have no effect on these files, and conversions for another program of files without a
// network.
func (o ExchangeOptions) check(from, to string, head []byte) error {
	reads, writes := IsForeign(from, head), extension(to) == ".onnx"
	for _, option := range []struct {
		name  string
		given bool
		fits  bool
		what  string
	}{
		{"--input-shape", o.ONNX.InputShapes != nil, writes, "the inputs of an ONNX model that is written"},
		{"--masks", o.ONNX.Masks, writes, "the inputs of an ONNX model that is written"},
		{"--no-normalizer", o.ONNX.NoNormalizer, writes, "an ONNX model that is written"},
		{"--outputs", o.Outputs != nil, extension(from) == ".onnx", "an ONNX model that is read"},
		{"--like", o.Like != "", reads && extension(from) != ".onnx" && !isKeras(from, head),
			"a safetensors file that is read"},
	} {
		if option.given && !option.fits {
			return &FormError{fmt.Sprintf("%s is about %s: leave it out", option.name, option.what)}
		}
	}
	if Exchanged(to) && !IsModel(head) && !reads {
		return &FormError{fmt.Sprintf("NEW %s: %s is not a model, which such a file needs: name a model .zip as OLD", to,
			from)}
	}
	return nil
}
