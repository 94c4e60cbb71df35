package modelfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/safetensors"
	"github.com/dl4go/dl4go/internal/shortnet"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
)

// FormError says that a file does not have the form that was asked for.
type FormError struct{ text string }

func (e *FormError) Error() string { return e.text }

// ConvertOptions say how a file is written.
type ConvertOptions struct {
	nn.SaveOptions
	ExchangeOptions
	// JavaYAML writes configurations in Deeplearning4j's YAML, not in the short form.
	JavaYAML bool
}

// Convert rewrites a model, a configuration, a data set or a normalizer in the form of Deeplearning4j 1.0.0-M2.1. It
// returns the kind of the file. It calls warn with what can't be carried over.
func Convert(ctx context.Context, from, to string, save ConvertOptions,
	warn func(notices []string)) (kind string, err error) {
	if err := checkForm(to); err != nil {
		return "", &FormError{fmt.Sprintf("NEW %s: %v", to, err)}
	}
	head, err := Head(ctx, from)
	if err != nil {
		return "", err
	}
	text := IsYAML(to) || IsJSON(to)
	network := IsModel(head) || IsForeign(from, head)
	if err := save.check(from, to, head); err != nil {
		return "", err
	}
	switch {
	case save.JavaYAML && !IsYAML(to):
		return "", &FormError{fmt.Sprintf("--dl4j is about YAML, which %s will not be: name a .yaml file, or leave it out",
			to)}
	case !network && !IsConfiguration(from, head) && text:
		return "", &FormError{fmt.Sprintf("NEW %s: %s has no configuration that JSON or YAML could hold: name a .bin file",
			to, from)}
	case save.Rows && (!network || text || Exchanged(to)):
		return "", &FormError{fmt.Sprintf("--rows is about the parameters of a model, which %s will not be: leave it out",
			to)}
	case network:
		return convertModel(ctx, from, to, save, warn)
	case IsConfiguration(from, head):
		return "configuration", convertConfiguration(ctx, from, to, save, warn)
	case bytes.HasPrefix(head, []byte("\x00\x0aNORMALIZER")):
		return "normalizer", convertNormalizer(ctx, from, to)
	}
	return "data set", convertData(ctx, from, to)
}

func convertData(ctx context.Context, from, to string) error {
	f, err := storage.Open(ctx, from)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := data.Read(f, f.Size())
	if err != nil {
		return dl4j.In(err, from, "")
	}
	return storage.WriteFile(ctx, to, m.Write)
}

func convertModel(ctx context.Context, from, to string, save ConvertOptions,
	warn func([]string)) (kind string, err error) {
	net, err := Import(ctx, from, save.ExchangeOptions)
	if errors.Is(err, safetensors.ErrNoConfiguration) {
		return "", fmt.Errorf("%w; name a model of the same layers with --like", err)
	}
	if err != nil {
		return "", err
	}
	defer net.Close()
	warn(net.Notices())
	switch {
	case IsYAML(to) || IsJSON(to):
		return "configuration", writeConfiguration(ctx, net, to, save.JavaYAML)
	case Exchanged(to):
		return "model", Export(ctx, net, to, save.ExchangeOptions)
	}
	if b := net.Normalizer(); b != nil { // its arrays may be of an old form
		n, err := data.ReadNormalizer(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			warn([]string{fmt.Sprintf("the normalizer is kept as it is: %v", err)})
			return "model", net.Save(ctx, to, save.SaveOptions)
		}
		var again bytes.Buffer
		if err := data.WriteNormalizer(&again, n); err != nil {
			return "", err
		}
		net.SetNormalizer(again.Bytes())
	}
	return "model", net.Save(ctx, to, save.SaveOptions)
}

func convertConfiguration(ctx context.Context, from, to string, save ConvertOptions, warn func([]string)) error {
	net, err := configured(ctx, from)
	if err != nil {
		return err
	}
	defer net.Close()
	warn(net.Notices())
	return writeConfiguration(ctx, net, to, save.JavaYAML)
}

// configured returns the network of a configuration, or of the short form; its parameters are 0.
func configured(ctx context.Context, from string) (*nn.Network, error) {
	text, err := storage.ReadFile(ctx, from)
	if err != nil {
		return nil, err
	}
	if shortnet.Is(text) {
		if text, err = shortnet.Configuration(text, nn.BuiltInData{}); err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
	}
	net, err := nn.Replica(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return net, nil
}

func writeConfiguration(ctx context.Context, net *nn.Network, to string, java bool) error {
	text, err := net.Configuration()
	switch {
	case err != nil || !IsYAML(to):
	case java:
		text, err = nn.YAML(text)
	default:
		text, err = shortnet.Format(text)
	}
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, to, func(w io.Writer) error { _, err := w.Write(text); return err })
}

func convertNormalizer(ctx context.Context, from, to string) error {
	b, err := storage.ReadFile(ctx, from)
	if err != nil {
		return err
	}
	n, err := data.ReadNormalizer(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return storage.WriteFile(ctx, to, func(w io.Writer) error { return data.WriteNormalizer(w, n) })
}
