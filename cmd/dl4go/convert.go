package main

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
)

func convertCommand() *cobra.Command {
	asJSON, rows := false, false
	cmd := &cobra.Command{
		Use:   "convert OLD NEW",
		Short: "Rewrite a file of an older Deeplearning4j, or of type DOUBLE or HALF",
		Long: `Rewrite a file of Deeplearning4j 0.8 to 1.0.0-M2.1 as 1.0.0-M2.1 writes it, with numbers
of type FLOAT.

  dl4go convert old.zip new.zip
  dl4go convert model.zip configuration.yaml`,
		Annotations: map[string]string{more: `OLD is a model zip, a configuration, a saved DataSet or MultiDataSet, or a normalizer. If NEW ends in .json, .yaml or .yml,
only the configuration is written. What cannot be carried over is named on standard error. A file that cannot be read is an
error that says which version it seems to be of.`},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("dl4go convert takes two files, OLD and NEW, got %d: dl4go convert --help shows how", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return convert(cmd.Context(), newOutput(cmd, asJSON), args[0], args[1], nn.SaveOptions{Rows: rows})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	cmd.Flags().BoolVar(&rows, "rows", false, "parameters as a row, for 1.0.0-M2 and before")
	return cmd
}

func convert(ctx context.Context, o *output, from, to string, save nn.SaveOptions) error {
	if err := ours("NEW", to); err != nil {
		return err
	}
	head, err := firstBytes(ctx, from)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(head, []byte("PK")) && !isConfiguration(from, head) && (isYAML(to) || isJSON(to)) {
		return usagef("NEW %s: %s has no configuration that JSON or YAML could hold: name a .bin file", to, from)
	}
	if save.Rows && (!bytes.HasPrefix(head, []byte("PK")) || isYAML(to) || isJSON(to)) {
		return usagef("--rows is about the parameters of a model, which %s will not be: leave it out", to)
	}
	kind := ""
	switch {
	case bytes.HasPrefix(head, []byte("PK")):
		kind, err = convertModel(ctx, o, from, to, save)
	case isConfiguration(from, head):
		kind = "configuration"
		err = convertConfiguration(ctx, o, from, to)
	case bytes.HasPrefix(head, []byte("\x00\x0aNORMALIZER")):
		kind = "normalizer"
		err = convertNormalizer(ctx, from, to)
	default:
		kind = "data set"
		err = convertData(ctx, from, to)
	}
	if err != nil {
		return err
	}
	o.line("wrote %s: the %s of %s", to, kind, from)
	return o.done(event{"from": from, "to": to, "kind": kind})
}

func convertModel(ctx context.Context, o *output, from, to string, save nn.SaveOptions) (kind string, err error) {
	net, err := nn.LoadNetworkContext(ctx, from)
	if err != nil {
		return "", err
	}
	defer net.Close()
	o.notices(from, net.Notices())
	if isYAML(to) || isJSON(to) {
		return "configuration", writeConfiguration(ctx, net, to)
	}
	if b := net.Normalizer(); b != nil { // its arrays may be of an old form
		n, err := normalizer.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			o.notices(from, []string{fmt.Sprintf("the normalizer is kept as it is: %v", err)})
			return "model", nn.SaveNetworkContext(ctx, net, to, save)
		}
		var again bytes.Buffer
		if err := normalizer.Write(&again, n); err != nil {
			return "", err
		}
		net.SetNormalizer(again.Bytes())
	}
	return "model", nn.SaveNetworkContext(ctx, net, to, save)
}

func convertConfiguration(ctx context.Context, o *output, from, to string) error {
	text, err := storage.ReadFile(ctx, from)
	if err != nil {
		return err
	}
	net, err := nn.Replica(text)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	defer net.Close()
	o.notices(from, net.Notices())
	return writeConfiguration(ctx, net, to)
}

func writeConfiguration(ctx context.Context, net nn.Network, to string) error {
	text, err := net.Configuration()
	if err == nil && isYAML(to) {
		text, err = nn.YAML(text)
	}
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, to, func(w io.Writer) error { _, err := w.Write(text); return err })
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

func convertNormalizer(ctx context.Context, from, to string) error {
	b, err := storage.ReadFile(ctx, from)
	if err != nil {
		return err
	}
	n, err := normalizer.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return storage.WriteFile(ctx, to, func(w io.Writer) error { return normalizer.Write(w, n) })
}
