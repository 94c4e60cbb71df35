package material_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/material"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/workplace"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/train"
)

// birds is a table of raw columns, with a gap.
const birds = "wing,colour,kind\n1,red,a\n2,,b\n3,blue,a\n4,red,b\n5,blue,a\n6,red,b\n7,blue,a\n8,red,b\n"

// written writes a file of the test.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// of returns the material that settings describe. Nothing of it is open.
func of(t *testing.T, s material.Settings) *material.Material {
	t.Helper()
	out := console.New(io.Discard, io.Discard, false)
	place := &workplace.Place{Out: out, Data: &workplace.Data{},
		Engine: &workplace.Engine{Master: "local[2]", Given: func(string) bool { return false }}}
	t.Cleanup(func() { place.Close() })
	return &material.Material{Settings: &s, Place: place, Out: out}
}

// opened opens the material that settings describe.
func opened(t *testing.T, s material.Settings) *material.Material {
	t.Helper()
	m := of(t, s)
	if err := m.Open(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestNetworkByData: without a model, pictures get a convolutional network, sequences a recurrent one, rows a
// perceptron. The built-in digits hold out their test part.
func TestNetworkByData(t *testing.T) {
	m := opened(t, material.Settings{Data: "digits", Seed: 7})
	if m.Model != "lenet" || m.HeldOut == nil || m.HeldOut.Info().Examples != 300 || m.Seed != 1 {
		t.Errorf("digits: %s, held out %v, seed %d", m.Model, m.HeldOut, m.Seed)
	}
	m = opened(t, material.Settings{Data: "csv:" + written(t, "rows.csv", "1,2,0\n3,4,1\n") + "?label=2&classes=2",
		Columns: material.Columns{None: true}})
	if m.Model != "mlp" || m.HeldOut != nil || m.Network.Preparation != nil {
		t.Errorf("rows: %s, held out %v, prepared by %v", m.Model, m.HeldOut, m.Network.Preparation)
	}
	dir := t.TempDir()
	for _, name := range []string{"0.csv", "1.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1,2,0\n3,4,1\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m = opened(t, material.Settings{Data: "csvseq:" + dir + "?label=2&classes=2", Columns: material.Columns{None: true}})
	if m.Model != "lstm" {
		t.Errorf("sequences: %s", m.Model)
	}
}

// TestRawColumns: raw columns go through a proposed pipeline, which the network keeps. --split holds rows out.
func TestRawColumns(t *testing.T) {
	s := material.Settings{Data: "csv:" + written(t, "birds.csv", birds) + "?label=kind"}
	s.Columns.Settings.Split, s.Columns.Given = prepare.Split{Share: 0.75}, []string{"split"}
	m := opened(t, s)
	if m.Train.Info().Examples != 6 || m.HeldOut == nil || m.HeldOut.Info().Examples != 2 {
		t.Errorf("train %+v, held out %v", m.Train.Info(), m.HeldOut)
	}
	steps, _ := m.Network.Pipeline()
	if schema := m.Network.Schema(); steps == nil || schema == nil || !slices.Equal(schema.Classes, []string{"a", "b"}) {
		t.Errorf("the network keeps the pipeline %s and the names %+v", steps, schema)
	}
	if p := m.Place.Data.Preparation; p == nil || !slices.Equal(p.Labels, []string{"kind"}) {
		t.Errorf("other data is prepared by %+v", p)
	}
}

// regression saves a network of one column and one number.
func regression(t *testing.T) string {
	t.Helper()
	net, err := nn.New(nn.Configuration{InputType: inputtype.FeedForward(1), Layers: []layer.Layer{
		layer.Output{NOut: 1, Activation: activation.Identity{}, Loss: loss.MSE{}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	path := filepath.Join(t.TempDir(), "model.zip")
	if err := net.Save(t.Context(), path, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNumbers: numbers to predict are scaled for training.
func TestNumbers(t *testing.T) {
	m := opened(t, material.Settings{Data: "csv:" + written(t, "birds.csv", strings.ReplaceAll(strings.ReplaceAll(birds,
		",a", ",0.5"), ",b", ",2.25")) + "?label=kind"})
	if err := m.Examine(t.Context()); err != nil || !strings.HasPrefix(m.Normalizer, "labels standardised") {
		t.Errorf("%q, %v", m.Normalizer, err)
	}
}

// TestNormalizer: features are scaled if that is asked for, and a model that has a normalizer keeps it.
func TestNormalizer(t *testing.T) {
	data := "csv:" + written(t, "rows.csv", "1,10\n2,30\n") + "?label=1&regression=true"
	for _, c := range []struct {
		s    material.Settings
		want string // begins the description; empty if nothing is normalized
	}{
		{material.Settings{NoNormalizer: true}, ""},
		{material.Settings{Normalize: "standardize"}, "--normalize standardize"},
		{material.Settings{Normalize: "minmax"}, "--normalize minmax"},
	} {
		c.s.Data, c.s.Model = data, regression(t)
		m := opened(t, c.s)
		if err := m.Examine(t.Context()); err != nil || !strings.HasPrefix(m.Normalizer, c.want) ||
			(c.want == "") != (m.Network.Normalizer == nil) || (c.want == "") != (m.Normalizer == "") {
			t.Errorf("%+v: %q, %v, %v", c.s, m.Normalizer, m.Network.Normalizer, err)
		}
		if c.want == "" {
			continue
		}
		if err := m.Network.Save(t.Context(), c.s.Model, nn.SaveOptions{}); err != nil {
			t.Fatal(err)
		}
		again := opened(t, material.Settings{Data: data, Model: c.s.Model})
		if err := again.Examine(t.Context()); err != nil || !strings.HasPrefix(again.Normalizer, "the model's normalizer") {
			t.Errorf("again: %q, %v", again.Normalizer, err)
		}
		twice := opened(t, material.Settings{Data: data, Model: c.s.Model, Normalize: "minmax"})
		if err := twice.Examine(t.Context()); err == nil || !strings.Contains(err.Error(), "has a normalizer already") {
			t.Errorf("a second normalizer: %v", err)
		}
	}
}

// TestRefused: flags that have no meaning, and data without labels, are errors that name the flag.
func TestRefused(t *testing.T) {
	table := "csv:" + written(t, "birds.csv", birds) + "?label=kind"
	model := regression(t)
	with := func(s material.Settings, given ...string) material.Settings {
		s.Columns.Given = given
		return s
	}
	plain := material.Columns{None: true}
	for want, s := range map[string]material.Settings{
		"--missing is for tables":                        with(material.Settings{Data: "digits:train"}, "missing"),
		"--split is for tables":                          with(material.Settings{Data: table, Columns: plain}, "split"),
		"--embed only applies to built-in networks, not": with(material.Settings{Data: table, Model: model}, "embed"),
		"--pipeline ": {Data: table,
			Columns: material.Columns{Pipeline: written(t, "p.json", "{")}},
		"--data: ": {Data: "csv:" + written(t, "x.csv", "1,2\n") + "?label=none",
			Columns: plain},
		"absent.zip": {Data: table, Model: filepath.Join(t.TempDir(), "absent.zip")},
		"--test: ":   {Data: "digits:train", Test: "csv:absent.csv"},
		"sql:":       {Data: "sql:SELECT 1"},
	} {
		if err := of(t, s).Open(t.Context(), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error %v", want, err)
		}
	}
}

// TestRun: a run begins with what is ready. Mistakes are found before the engine is started.
func TestRun(t *testing.T) {
	m := opened(t, material.Settings{Data: "digits:train", Model: "softmax"})
	c := train.Config{Network: m.Network.Network, Data: m.Train, Epochs: 1, Method: train.Plain{}, Kernels: "portable"}
	wrong := c
	wrong.Epochs = -1
	if _, err := m.Ready(t.Context(), wrong, true); err == nil {
		t.Error("-1 epochs")
	}
	c, err := m.Ready(t.Context(), c, true)
	if err != nil {
		t.Fatal(err)
	}
	run, executor, err := m.Begin(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer executor.Close()
	defer run.Close()
	result, err := run.Train(t.Context())
	if err != nil || result.Network == nil {
		t.Errorf("%+v, %v", result, err)
	}
}
