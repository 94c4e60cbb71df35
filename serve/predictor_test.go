package serve

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
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/tensor"
)

func network(t testing.TB, c nn.Configuration) *nn.MultiLayer {
	t.Helper()
	c.Seed = 3
	net, err := nn.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(net.Close)
	return net
}

func predictor(t testing.TB, net nn.AnyNetwork, o Options) *Predictor {
	t.Helper()
	p, err := New(net, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// numbers are different ones between −2 and 2.
func numbers(shape ...int) *tensor.Dense {
	x := tensor.New(shape...)
	for i := range x.Data {
		x.Data[i] = float32(2 * math.Sin(float64(i)*1.7+float64(i%7)))
	}
	return x
}

func perceptron(t testing.TB) *nn.MultiLayer {
	return network(t, nn.Configuration{InputType: inputtype.FeedForward(30), Layers: []layer.Layer{
		layer.Dense{NOut: 50, Activation: activation.ReLU{}},
		layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
}

func convolutional(t testing.TB) *nn.MultiLayer {
	return network(t, nn.Configuration{InputType: inputtype.Convolutional(6, 6, 2), Layers: []layer.Layer{
		layer.Convolution2D{NOut: 4, Kernel: [2]int{3, 3}, Activation: activation.Identity{}},
		layer.NewBatchNormalization(),
		layer.Activate{Activation: activation.ReLU{}},
		layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
}

func recurrent(t testing.TB) *nn.MultiLayer {
	return network(t, nn.Configuration{InputType: inputtype.Recurrent(3, 0), Layers: []layer.Layer{
		layer.LastTimeStep{Layer: layer.NewLSTM(6)},
		layer.Output{NOut: 4, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
}

// regression has labels of two columns.
func regression(t testing.TB) *nn.MultiLayer {
	return network(t, nn.Configuration{InputType: inputtype.FeedForward(3), Layers: []layer.Layer{
		layer.Dense{NOut: 5, Activation: activation.TanH{}},
		layer.Output{NOut: 2, Activation: activation.Identity{}, Loss: loss.MSE{}}}})
}

// TestSameAnswers: whatever minibatch an example is in, its outputs are those that it has alone, to the bit. Calls of
// one and of many examples come at the same time, and go into minibatches of all sizes.
func TestSameAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		net *nn.MultiLayer
		x   *tensor.Dense
	}{
		"perceptron":    {perceptron(t), numbers(300, 30)},
		"convolutional": {convolutional(t), numbers(70, 2, 6, 6)},
		"recurrent":     {recurrent(t), numbers(70, 3, 5)},
	} {
		rows := c.x.Rows()
		alone := make([][]float32, rows)
		one := predictor(t, c.net, Options{Concurrency: 1, MaxBatch: 1})
		for i := range rows {
			out, err := one.Predict(t.Context(), c.x.Slice(i, i+1))
			if err != nil {
				t.Fatal(err)
			}
			alone[i] = out[0].Data
		}
		p := predictor(t, c.net, Options{Concurrency: 2, MaxBatch: 32})
		var wait sync.WaitGroup
		for g := range 24 {
			wait.Go(func() {
				for k := range 20 {
					from := (7*g + 3*k) % (rows - 1)
					to := min(rows, from+1+(g*k)%5)
					if k == 19 && g%6 == 0 {
						from, to = 0, rows
					}
					out, err := p.Predict(t.Context(), c.x.Slice(from, to))
					if err != nil {
						t.Error(err)
						return
					}
					for i := from; i < to; i++ {
						if !slices.Equal(out[0].Slice(i-from, i-from+1).Data, alone[i]) {
							t.Errorf("%s: example %d of [%d, %d) has other outputs than alone", name, i, from, to)
							return
						}
					}
				}
			})
		}
		wait.Wait()
	}
}

// waits returns a look for await: so many calls wait for the predictor.
func waits(p *Predictor, wanted int) func() (any, bool) {
	return func() (any, bool) {
		n := p.Waiting()
		return n, n == wanted
	}
}

// TestJoins: calls that come while a minibatch is computed share the next one, if their shapes are the same.
func TestJoins(t *testing.T) {
	held, hold := make(chan bool), make(chan bool)
	var batches []Batch
	p := predictor(t, recurrent(t), Options{Concurrency: 1, Observe: func(b Batch) {
		batches = append(batches, b)
		if len(batches) == 1 {
			held <- true
			<-hold
		}
	}})
	var wait sync.WaitGroup
	ask := func(x *tensor.Dense) {
		wait.Go(func() {
			if _, err := p.Predict(t.Context(), x); err != nil {
				t.Error(err)
			}
		})
	}
	ask(numbers(1, 3, 5))
	<-held
	waiting := 0
	for _, x := range []*tensor.Dense{numbers(1, 3, 5), numbers(2, 3, 4), numbers(3, 3, 5), numbers(4, 3, 5)} {
		ask(x)
		waiting += x.Rows()
		await.Until(t, "a call that waits", waits(p, waiting))
	}
	close(hold)
	wait.Wait()
	sizes := []int{batches[1].Examples, batches[2].Examples}
	if len(batches) != 3 || !slices.Equal(sizes, []int{8, 2}) || batches[1].Calls != 3 {
		t.Errorf("minibatches %+v; wanted 1, then 1+3+4, then 2 examples", batches)
	}
}

// scaled gives the network a normalizer that is fitted to features and labels, and returns it.
func scaled(t *testing.T, net *nn.MultiLayer, x, y *tensor.Dense) *data.Scaler {
	t.Helper()
	m := &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}
	s := data.NewStandardize(true)
	if err := s.Fit(m.Batches(x.Rows())); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := data.WriteNormalizer(&b, s); err != nil {
		t.Fatal(err)
	}
	net.SetNormalizer(b.Bytes())
	return s
}

// TestNormalizes: features go through the network's normalizer, and outputs come back to the labels' scale, as dl4go
// predict has it. The caller's features stay as they are.
func TestNormalizes(t *testing.T) {
	net := regression(t)
	x, y := numbers(300, 3), numbers(300, 2)
	for i := range x.Data {
		x.Data[i] = 100 + 10*x.Data[i]
	}
	scaler := scaled(t, net, x, y)
	before := x.Clone()
	m := &data.MultiDataSet{Features: []*tensor.Dense{x.Clone()}}
	if err := scaler.Transform(m); err != nil {
		t.Fatal(err)
	}
	want, err := net.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	raw := want[0].Clone()
	if err := scaler.RevertLabels(want, nil); err != nil {
		t.Fatal(err)
	}
	p := predictor(t, net, Options{Concurrency: 1})
	for _, rows := range []int{1, 5, 64, 300} {
		got, err := p.Predict(t.Context(), x.Slice(0, rows))
		if err != nil || !slices.Equal(got[0].Data, want[0].Data[:2*rows]) {
			t.Errorf("%d rows: the outputs are not those of normalized features, reverted: %v", rows, err)
		}
	}
	if !slices.Equal(x.Data, before.Data) {
		t.Error("predicting changed the features")
	}
	plain := predictor(t, net, Options{Concurrency: 1, NoNormalizer: true})
	if got, err := plain.Predict(t.Context(), m.Features...); err != nil || !slices.Equal(got[0].Data, raw.Data) {
		t.Errorf("without the normalizer: other outputs, or %v", err)
	}
	net.SetNormalizer([]byte("no normalizer"))
	if _, err := New(net, Options{}); err == nil || !strings.Contains(err.Error(), "normalizer") {
		t.Errorf("with a normalizer that can't be read: %v", err)
	}
}

// TestMasks: a padded sequence is predicted as it is alone, whatever the padding holds.
func TestMasks(t *testing.T) {
	net := recurrent(t)
	short := numbers(1, 3, 6)
	p := predictor(t, net, Options{Concurrency: 1})
	alone, err := p.Predict(t.Context(), short)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{1, 3, 8} {
		long, mask := tensor.New(rows, 3, 15), tensor.New(rows, 15)
		for i := range long.Data {
			long.Data[i] = 7
		}
		for r := range rows {
			for c := range 3 {
				copy(long.Data[(r*3+c)*15:], short.Data[c*6:(c+1)*6])
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
			if !slices.Equal(got[0].Slice(r, r+1).Data, alone[0].Data) {
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
	if got, err := p.PredictData(t.Context(), m); err != nil || !slices.Equal(got[0].Data, want[0].Data) ||
		slices.Equal(got[0].Data, alone[0].Data) {
		t.Errorf("with a mask of labels: %v, %v", got, err)
	}
}

// TestRowsOfAnExample: a network that makes several examples of one gives them in the order of Output.
func TestRowsOfAnExample(t *testing.T) {
	net := network(t, nn.Configuration{InputType: inputtype.Convolutional(4, 6, 1), Layers: []layer.Layer{
		layer.SpaceToBatch{Blocks: [2]int{2, 3}},
		layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	x := numbers(5, 1, 4, 6)
	want, err := net.Output(&data.MultiDataSet{Features: []*tensor.Dense{x}}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, 2, 8} {
		p := predictor(t, net, Options{Concurrency: 1, MaxBatch: most})
		got, err := p.Predict(t.Context(), x)
		if err != nil || !got[0].Shape.Equal(want[0].Shape) || !slices.Equal(got[0].Data, want[0].Data) {
			t.Errorf("%d at a time: %v, not %v (%v)", most, got, want, err)
		}
	}
}

// TestBadExamples: features and outputs that are no finite numbers are errors that name the example, of the call that
// has them alone.
func TestBadExamples(t *testing.T) {
	net := regression(t)
	x := numbers(600, 3)
	good := x.Clone()
	x.Data[3*400+2] = float32(math.NaN())
	p := predictor(t, net, Options{Concurrency: 1})
	var v *data.ValueError
	_, err := p.Predict(t.Context(), x)
	if !errors.As(err, &v) || v.Array != "features" || v.Example != 400 || v.Column != 2 {
		t.Errorf("a NaN among the features: %v", err)
	}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for range 50 {
				if g%2 == 0 {
					if _, err := p.Predict(t.Context(), x.Slice(400, 401)); !errors.As(err, new(*data.ValueError)) {
						t.Errorf("NaN: %v", err)
					}
				} else if _, err := p.Predict(t.Context(), good.Slice(g, g+1)); err != nil {
					t.Errorf("beside a call with NaN: %v", err)
				}
			}
		})
	}
	wait.Wait()
	anyway := predictor(t, net, Options{Concurrency: 1, AllowNaN: true})
	if out, err := anyway.Predict(t.Context(), x); err != nil || out[0].Data[800] == out[0].Data[800] {
		t.Errorf("where NaN is allowed: %v", err)
	}
	params := net.Params()
	params[len(params)-1] = float32(math.Inf(1)) // the last output's bias
	_, err = p.Predict(t.Context(), good.Slice(5, 9))
	if !errors.As(err, &v) || v.Array != "outputs" || v.Example != 0 || v.Column != 1 {
		t.Errorf("an infinite output: %v", err)
	}
	for _, wrong := range [][]*tensor.Dense{{tensor.New(2, 4)}, {tensor.New(0, 3)}, {}, {nil}, {good, good},
		{{Shape: tensor.Shape{2, 3}}}} {
		if _, err := p.Predict(t.Context(), wrong...); err == nil {
			t.Errorf("features %v are accepted", wrong)
		}
	}
	if _, err := p.PredictData(t.Context(), nil); err == nil {
		t.Error("no data is accepted")
	}
}

// TestMemory: minibatches have as many examples as fit, and large ones give their memory back.
func TestMemory(t *testing.T) {
	net := perceptron(t)
	wide := predictor(t, net, Options{Concurrency: 1})
	want, err := wide.Predict(t.Context(), numbers(200, 30))
	if err != nil {
		t.Fatal(err)
	}
	s := wide.free[0]
	p := predictor(t, net, Options{Concurrency: 1, MaxMemory: s.slots[0].memory / 2})
	got, err := p.Predict(t.Context(), numbers(200, 30))
	if err != nil || !slices.Equal(got[0].Data, want[0].Data) {
		t.Errorf("with little memory: other outputs, or %v", err)
	}
	for _, used := range p.free[0].slots {
		if !used.over && used.size > 1 && used.memory > p.o.MaxMemory {
			t.Errorf("%d examples at once take %d bytes, more than %d", used.size, used.memory, p.o.MaxMemory)
		}
	}
	s.tidy()
	if s.memory() != 0 {
		t.Error("a tidied seat has memory")
	}
	again, err := wide.Predict(t.Context(), numbers(200, 30))
	if err != nil || !slices.Equal(again[0].Data, want[0].Data) {
		t.Errorf("after it was tidied: other outputs, or %v", err)
	}
}

// TestClosed: Close waits for calls under way; later calls and a second Close are errors.
func TestClosed(t *testing.T) {
	p := predictor(t, regression(t), Options{Concurrency: 2})
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			for {
				if _, err := p.Predict(t.Context(), numbers(64, 3)); err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	wait.Wait()
	if err := p.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("a second Close: %v", err)
	}
	if _, err := p.Predict(t.Context(), numbers(1, 3)); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after Close: %v", err)
	}
}

// TestCancelled: a context that has ended gives its error, whether a call waits or is about to begin; a full queue
// gives ErrOverloaded.
func TestCancelled(t *testing.T) {
	p := predictor(t, regression(t), Options{Concurrency: 1, MaxQueue: 2})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("nobody asks any more")
	p.mu.Lock()
	s := p.take(&group{})
	p.mu.Unlock()
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			if _, err := p.Predict(ctx, numbers(1, 3)); !errors.Is(err, why) {
				t.Errorf("while it waits: %v", err)
			}
		})
	}
	await.Until(t, "two calls that wait", waits(p, 2))
	if _, err := p.Predict(t.Context(), numbers(1, 3)); !errors.Is(err, ErrOverloaded) {
		t.Errorf("with a full queue: %v", err)
	}
	cancel(why)
	wait.Wait()
	p.handOver(s)
	if _, err := p.Predict(ctx, numbers(1, 3)); !errors.Is(err, why) {
		t.Errorf("before it began: %v", err)
	}
	if _, err := p.Predict(t.Context(), numbers(1, 3)); err != nil {
		t.Error(err)
	}
}

// TestParts: a minibatch whose intermediate values would leave the caches goes through the network in parts, with the
// same outputs, and all parts read the same packed weights.
func TestParts(t *testing.T) {
	net := network(t, nn.Configuration{InputType: inputtype.Convolutional(32, 32, 3), Layers: []layer.Layer{
		layer.Convolution2D{NOut: 64, Kernel: [2]int{3, 3}, Mode: layer.Same, Activation: activation.ReLU{}},
		layer.Convolution2D{NOut: 8, Kernel: [2]int{3, 3}, Stride: [2]int{4, 4}, Activation: activation.ReLU{}},
		layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	net.Init(1)
	x := numbers(64, 3, 32, 32)
	want, err := net.Output(&data.MultiDataSet{Features: []*tensor.Dense{x}}, false)
	if err != nil {
		t.Fatal(err)
	}
	p := predictor(t, net, Options{Concurrency: 1})
	got, err := p.Predict(t.Context(), x)
	if err != nil || !slices.Equal(got[0].Data, want[0].Data) {
		t.Errorf("other outputs, or %v", err)
	}
	used := p.free[0].slots[0]
	if used.over || used.size < 2 || used.size >= 64 || used.memory > cachedMemory {
		t.Errorf("%d examples at a time, with %d bytes", used.size, used.memory)
	}
}
