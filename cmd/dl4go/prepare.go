package main

import (
	"context"
	"fmt"

	library "github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// open opens the network and the data.
func (t *training) open(ctx context.Context, seeded bool) error {
	spec, test := t.dataSpec, t.testSpec
	if t.prepared.settings.Split == (prepare.Split{}) {
		spec, test = source.Halves(spec, test)
	}
	var seed *int64
	if seeded {
		seed = &t.seed
	}
	if err := t.openModel(ctx, seed); err != nil {
		return err
	}
	prepared, err := t.openPrepared(ctx, spec)
	if err != nil {
		return err
	}
	if prepared != nil {
		t.keepPreparation(prepared)
		t.train = prepared.Train
		if prepared.HeldOut != nil {
			t.test = prepared.HeldOut
		}
	} else if err := openPlain(ctx, t, spec); err != nil {
		return err
	}
	schema := t.known().With(t.train.Info().Schema) // its own names, and the training data's if it has none
	if test != "" && test != "none" {
		as := schema
		if t.byPosition {
			as = nil
		}
		if t.test, err = openData(ctx, &t.work, "test", test, as); err != nil {
			return err
		}
	}
	info := t.train.Info()
	if len(info.Labels) == 0 {
		return fmt.Errorf("--data: %s has no labels to train by", info.Name)
	}
	if t.model == "" {
		t.model = "mlp"
		switch modelfile.DataOf(info).Input.Kind {
		case inputtype.ConvolutionalKind, inputtype.ConvolutionalFlatKind:
			t.model = "lenet"
		case inputtype.RecurrentKind:
			t.model = "lstm"
		}
	}
	if t.net == nil {
		if t.net, err = openWished(ctx, t.out, t.model, info, seed, t.wish); err != nil {
			return err
		}
	}
	if !t.byPosition && t.net.Trained && t.from == nil {
		t.out.Lines(modelfile.Positions(t.net.Schema(), info))
	}
	if err := t.net.SetSchema(schema); err != nil {
		t.out.Warn("the model is saved without names of columns and classes: %v", err)
	}
	t.seed = t.net.Seed
	if prepared != nil {
		return modelfile.SetPreparation(t.net.Network, prepared.Preparation)
	}
	return nil
}

// openPlain opens data that goes through no pipeline.
func openPlain(ctx context.Context, t *training, spec string) (err error) {
	t.settings.Drawn = t.prepared.parts()
	t.train, err = openData(ctx, &t.work, "data", spec, t.known())
	if t.settings.Drawn = false; err != nil || !t.prepared.parts() {
		return err
	}
	n, _ := t.settings.name("data", spec) // openData has checked it
	s, held := t.prepared.settings, source.Source(nil)
	t.train, held, err = prepare.Part(t.train, n, s.Split, t.prepared.sample, t.seed)
	if held != nil {
		t.test = held
	}
	return err
}

// examine decides how features are normalized, and checks that the data fits the network.
func (t *training) examine(ctx context.Context) error {
	if err := t.normalizer(t.train.Info()); err != nil {
		return err
	}
	if err := t.work.examine(ctx, "data", t.dataSpec, t.train, t.net, true); err != nil {
		return err
	}
	if t.test == nil {
		return nil
	}
	return t.work.examine(ctx, "test", t.testSpec, t.test, t.net, true)
}

// normalizer determines the normalization of features.
func (t *training) normalizer(info source.Info) error {
	switch {
	case t.from != nil && t.net.Normalizer != nil:
		t.log.Normalizer = "as the run began"
	case t.from != nil:
	case t.normalize != "" && t.net.Normalizer != nil:
		return usagef("--normalize: %s has a normalizer already; --no-normalizer leaves it aside", t.model)
	case t.noNormalizer:
		t.net.Normalizer = nil
		t.net.SetNormalizer(nil)
	case t.normalize != "":
		of := source.Info{Features: info.Features} // without labels, which stay in their own unit
		fit := library.MinMax(of)
		if t.normalize == "standardize" {
			fit = library.Standardize(of)
		}
		if err := modelfile.FitNormalizer(t.net.Network, fit, t.train); err != nil {
			return fmt.Errorf("--normalize: %w", err)
		}
		t.net.Normalizer = fit
		t.log.Normalizer = "--normalize " + t.normalize + ", fitted on the training data and saved in the model"
	case info.Task == source.Regression && t.net.Normalizer == nil:
		fit := modelfile.LabelScaler()
		err := distributed.Labels(t.train, func(s source.Source) error {
			return modelfile.FitNormalizer(t.net.Network, fit, s)
		})
		if err != nil {
			return fmt.Errorf("--data: %w", err)
		}
		t.net.Normalizer = fit
		t.log.Normalizer = "labels standardised for training; predictions are in their own unit"
	case t.net.Normalizer != nil:
		t.log.Normalizer = "the model's normalizer (--no-normalizer leaves it aside)"
	}
	return nil
}
