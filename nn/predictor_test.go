package nn

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

// regression has labels of two columns.
func regression(t *testing.T) *MultiLayer {
	return newNet(t, Configuration{InputType: inputtype.FeedForward(3), Layers: []layer.Layer{
		layer.Dense{NOut: 5, Activation: activation.TanH{}},
		layer.Output{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}}})
}

// TestPredictorNormalizes: features go through the network's normalizer, and outputs come back to the labels'
// scale, as dl4go predict has it. The caller's features stay as they are.
func TestPredictorNormalizes(t *testing.T) {
	net := regression(t)
	m := examples(300, 3, 2)
	for i := range m.Features[0].Data {
		m.Features[0].Data[i] = 100 + 10*m.Features[0].Data[i]
	}
	scaler := normalizer.NewStandardize(true)
	if err := scaler.Fit(m.Batches(300)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := normalizer.Write(&b, scaler); err != nil {
		t.Fatal(err)
	}
	net.SetNormalizer(b.Bytes())
	before := m.Clone()
	scaled := &data.MultiDataSet{Features: m.Clone().Features}
	if err := scaler.Transform(scaled); err != nil {
		t.Fatal(err)
	}
	want, err := net.Output(scaled, false)
	if err != nil {
		t.Fatal(err)
	}
	raw := want[0].Clone()
	if err := scaler.RevertLabels(want, nil); err != nil {
		t.Fatal(err)
	}
	p := net.NewPredictor(PredictorOptions{Concurrency: 1})
	defer p.Close()
	for _, rows := range []int{1, 5, 64, 300} {
		got, err := p.Predict(t.Context(), m.Features[0].Slice(0, rows))
		if err != nil {
			t.Fatal(err)
		}
		if !equalBits(got[0].Data, want[0].Data[:2*rows]) {
			t.Errorf("%d rows: the outputs are not those of normalized features, reverted", rows)
		}
	}
	if !slices.Equal(m.Features[0].Data, before.Features[0].Data) {
		t.Error("predicting changed the features")
	}
	plain := net.NewPredictor(PredictorOptions{Concurrency: 1, NoNormalizer: true})
	defer plain.Close()
	if got, err := plain.Predict(t.Context(), scaled.Features...); err != nil || !equalBits(got[0].Data, raw.Data) {
		t.Errorf("without the normalizer: other outputs, or %v", err)
	}
	net.SetNormalizer([]byte("no normalizer"))
	broken := net.NewPredictor(PredictorOptions{})
	defer broken.Close()
	if _, err := broken.Predict(t.Context(), m.Features...); err == nil || !strings.Contains(err.Error(), "normalizer") {
		t.Errorf("with a normalizer that can't be read: %v", err)
	}
}

// TestPredictorMasks: a padded sequence is predicted as it is alone, whatever the padding holds.
func TestPredictorMasks(t *testing.T) {
	net := newNet(t, Configuration{InputType: inputtype.Recurrent(3, 0), Layers: []layer.Layer{
		layer.LastTimeStep{Layer: layer.NewLSTM(6)},
		layer.Output{NOut: 4, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	short := tensor.New(1, 3, 6)
	for i := range short.Data {
		short.Data[i] = float32(i%5) - 2
	}
	p := net.NewPredictor(PredictorOptions{Concurrency: 1})
	defer p.Close()
	alone, err := p.Predict(t.Context(), short)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{1, 3, 8} {
		long, mask := tensor.New(rows, 3, 15), tensor.New(rows, 15)
		for r := range rows {
			for c := range 3 {
				copy(long.Data[(r*3+c)*15:], short.Data[c*6:(c+1)*6])
				for s := 6; s < 15; s++ {
					long.Data[(r*3+c)*15+s] = 7
				}
			}
			for s := range 6 {
				mask.Data[r*15+s] = 1
			}
		}
		got, err := p.PredictData(t.Context(), &data.MultiDataSet{Features: []*tensor.Dense{long},
			FeatureMasks: []*tensor.Dense{mask}})
		if err != nil {
			t.Fatal(err)
		}
		for r := range rows {
			if !equalBits(got[0].Slice(r, r+1).Data, alone[0].Data) {
				t.Errorf("%d rows, row %d: padded %v, alone %v", rows, r, got[0].Slice(r, r+1).Data, alone[0].Data)
			}
		}
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{short}, Labels: []*tensor.Dense{tensor.New(1, 4)},
		LabelMasks: []*tensor.Dense{tensor.MustOf([]float32{0.5}, 1, 1)}}
	want, err := net.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.PredictData(t.Context(), m); err != nil || !equalBits(got[0].Data, want[0].Data) ||
		equalBits(got[0].Data, alone[0].Data) {
		t.Errorf("with a mask of labels: %v, %v", got, err)
	}
}

// TestPredictorNaN: features and outputs that are no finite numbers are errors that name the example.
func TestPredictorNaN(t *testing.T) {
	net := regression(t)
	m := examples(600, 3, 2)
	m.Features[0].Data[3*400+2] = float32(math.NaN())
	finite := net.NewPredictor(PredictorOptions{Concurrency: 1})
	defer finite.Close()
	var v *data.ValueError
	if _, err := finite.Predict(t.Context(), m.Features...); !errors.As(err, &v) || v.Array != "features" ||
		v.Example != 400 || v.Column != 2 {
		t.Errorf("a NaN among the features: %v", err)
	}
	anyway := net.NewPredictor(PredictorOptions{Concurrency: 1, AllowNaN: true})
	defer anyway.Close()
	if out, err := anyway.Predict(t.Context(), m.Features...); err != nil || out[0].Data[800] == out[0].Data[800] {
		t.Errorf("where NaN is allowed: %v", err)
	}
	m.Features[0].Data[3*400+2] = 1
	params := net.Params()
	params[len(params)-1] = float32(math.Inf(1)) // the last output's bias
	if _, err := finite.Predict(t.Context(), m.Features[0].Slice(5, 9)); !errors.As(err, &v) || v.Array != "outputs" ||
		v.Example != 0 || v.Column != 1 {
		t.Errorf("an infinite output: %v", err)
	}
}

// TestPredictorClosed: Close waits for predictions and may come again; later predictions are errors.
func TestPredictorClosed(t *testing.T) {
	net := regression(t)
	m := examples(64, 3, 2)
	p := net.NewPredictor(PredictorOptions{Concurrency: 2})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for {
				if _, err := p.Predict(t.Context(), m.Features...); err != nil {
					if !errors.Is(err, ErrPredictorClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	for range 2 {
		wait.Go(p.Close)
	}
	wait.Wait()
	p.Close()
	if _, err := p.Predict(t.Context(), m.Features...); !errors.Is(err, ErrPredictorClosed) {
		t.Errorf("a prediction after Close: %v", err)
	}
}

// A context that has ended gives its error, whether a prediction waits for others or is about to begin.
func TestPredictorCancelled(t *testing.T) {
	net := newNet(t, mixed())
	m := examples(4, 36, 3)
	p := net.NewPredictor(PredictorOptions{Concurrency: 1})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("nobody asks any more")
	cancel(why)
	if _, err := p.Predict(ctx, m.Features...); !errors.Is(err, why) {
		t.Errorf("a seat is free: %v", err)
	}
	seat := <-p.seats
	if _, err := p.Predict(ctx, m.Features...); !errors.Is(err, why) {
		t.Errorf("no seat is free: %v", err)
	}
	p.seats <- seat
	if _, err := p.Predict(t.Context(), m.Features...); err != nil {
		t.Error(err)
	}
	p.Close()
}
