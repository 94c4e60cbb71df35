package nn

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// taskData is a minibatch for a built-in network: features, and labels of the task.
func taskData(d BuiltInData, rows int) *data.MultiDataSet {
	in := d.Input.Shape(rows)
	labels := tensor.Shape{rows, d.Classes}
	if d.PerStep {
		labels = append(labels, d.Input.TimeSteps)
	}
	m := &data.DataSet{Features: tensor.New(in...), Labels: tensor.New(labels...)}
	for i := range m.Features.Data {
		m.Features.Data[i] = float32(random.Mix(7, uint64(i))%1000)/500 - 1
	}
	steps := len(m.Labels.Data) / (rows * d.Classes)
	for i := range m.Labels.Data {
		draw := random.Mix(9, uint64(i))
		switch row, class, step := i/(d.Classes*steps), i/steps%d.Classes, i%steps; {
		case d.Task == Regression:
			m.Labels.Data[i] = float32(draw%1000) / 1000
		case d.Task == MultiLabel:
			m.Labels.Data[i] = float32(draw % 2)
		case random.Mix(11, uint64(row*steps+step))%uint64(d.Classes) == uint64(class):
			m.Labels.Data[i] = 1
		}
	}
	all := m.Multi()
	for k, c := range d.Categories {
		x := tensor.New(rows, 1)
		for i := range x.Data {
			x.Data[i] = float32(random.Mix(uint64(13+k), uint64(i)) % uint64(c.Count))
		}
		all.Features = append(all.Features, x)
	}
	return all
}

// TestBuiltInTasks: each built-in network learns each task for a few steps, and is the same after saving and loading.
func TestBuiltInTasks(t *testing.T) {
	for _, name := range BuiltIns() {
		for _, task := range []Task{Classification, Regression, MultiLabel} {
			if name != "resnet" && strings.HasPrefix(name, "resnet") || name == "vgg16" {
				continue // millions of parameters take their time: TestLargeBuiltIns
			}
			d := builtInFor(name)
			d.Task = task
			t.Run(name+"/"+string(task), func(t *testing.T) { learns(t, name, d) })
			if d.Input.Kind == inputtype.RecurrentKind {
				d.PerStep = true
				t.Run(name+"/"+string(task)+"/steps", func(t *testing.T) { learns(t, name, d) })
			}
		}
	}
}

// learns trains a network, whose loss must fall, then saves it and loads it.
func learns(t *testing.T, name string, d BuiltInData) {
	net, err := NewBuiltIn(name, d, Shape{Dropout: noDropout(name), LearningRate: 1e-3}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	steps, rows := 12, 6
	m := taskData(d, rows)
	var first, last float64
	for i := range steps {
		if last, err = net.Fit(m, Key{Seed: 1, Example: uint64(i)}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = last
		}
	}
	if !(last < first) {
		t.Errorf("the loss went from %g to %g", first, last)
	}
	var saved bytes.Buffer
	if err := net.Write(&saved, SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := UnmarshalNetwork(saved.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	sameOutputs(t, net, again, m)
}

// noDropout switches off dropout in networks that have it, so that losses fall with every step.
func noDropout(name string) *float64 {
	if name == "softmax" {
		return nil
	}
	return new(0.0)
}

func sameOutputs(t *testing.T, a, b AnyNetwork, m *data.MultiDataSet) {
	t.Helper()
	x, err := a.Base().Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Base().Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x[0].Data {
		if x[0].Data[i] != y[0].Data[i] {
			t.Fatalf("output %d is %g, after loading %g", i, x[0].Data[i], y[0].Data[i])
		}
	}
}

// TestLargeBuiltIns compares the numbers of parameters of the large networks with their papers.
func TestLargeBuiltIns(t *testing.T) {
	for name, want := range map[string]int{"resnet18": 11_689_512, "resnet34": 21_797_672, "resnet50": 25_557_032,
		"vgg16": 138_357_544} {
		d := BuiltInData{Input: inputtype.Convolutional(224, 224, 3), Classes: 1000}
		var shapes []layer.Param
		if m := builtIns[name]; m.graph != nil {
			g, err := m.graph(d, &shaper{used: map[string]bool{}})
			if err == nil {
				g, err = g.Complete()
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range g.Vertices {
				if v.Layer != nil {
					shapes = append(shapes, v.Layer.Params()...)
				}
			}
		} else {
			c, err := BuiltIn(name, d, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range c.Layers {
				shapes = append(shapes, l.Params()...)
			}
		}
		n := 0
		for _, p := range shapes {
			if p.Name == "mean" || p.Name == "var" || p.Name == "log10stdev" {
				continue // running statistics, which papers don't count
			}
			n += tensor.Shape(p.Shape).Size()
		}
		if n != want {
			t.Errorf("%s: %d parameters, want %d", name, n, want)
		}
	}
}
