package nn

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/tensor"
)

// sequences makes random features, 4 sequences of 5 steps of 3 elements, with labels for the network's output.
func sequences(t *testing.T, net *MultiLayer, format string) *data.MultiDataSet {
	t.Helper()
	s := random.NewSource(9)
	f := tensor.New(4, 3, 5)
	if format == inputtype.NWC {
		f = tensor.New(4, 5, 3)
	}
	for i := range f.Data {
		f.Data[i] = float32(s.Normal())
	}
	_, out, err := net.types([]inputtype.Type{must(inputtype.Of(f.Shape))})
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := net.scorer(len(out) - 1)
	if err != nil {
		t.Fatal(err)
	}
	l := tensor.New(scorer.LabelShape(out[len(out)-1], 4)...)
	classes, inner := 0, 1 // one of the classes is 1; they are in dimension 1 or 2
	switch {
	case len(l.Shape) == 2 || format == inputtype.NWC:
		classes = l.Shape[len(l.Shape)-1]
	default:
		classes, inner = l.Shape[1], l.Shape[2]
	}
	for i := range len(l.Data) / classes {
		l.Data[i/inner*inner*classes+i%inner+s.Intn(classes)*inner] = 1
	}
	return &data.MultiDataSet{Features: []*tensor.Dense{f}, Labels: []*tensor.Dense{l}}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// stepMask has 4 rows of 5 steps: full, short at the end, short at the beginning, with a gap.
func stepMask() *tensor.Dense {
	return &tensor.Dense{Shape: tensor.Shape{4, 5}, Data: []float32{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1,
		1, 0}}
}

// Every recurrent layer, alone and within wrappers, with and without masks, in both data formats.
func TestRecurrentGradients(t *testing.T) {
	tanh := activation.TanH{}
	lstm, graves, both := layer.NewLSTM(2), layer.NewGravesLSTM(2), layer.NewGravesBidirectionalLSTM(2)
	normalised := layer.SimpleRnn{NOut: 3, LayerNorm: true}
	odd := layer.NewLSTM(2)
	odd.Activation, odd.GateActivation = activation.SoftSign{}, activation.HardSigmoid{}
	gru, before := layer.GRU{NOut: 2}, layer.GRU{NOut: 2, ResetBefore: true, ZeroMasked: true}
	out := layer.RnnOutput{NOut: 3, Loss: loss.NewMCXENT()}
	last := layer.Output{NOut: 3, Activation: tanh, Loss: loss.MSE{}}
	rnn := layer.SimpleRnn{NOut: 2}
	for name, layers := range map[string][]layer.Layer{
		"LSTM":                    {lstm, out},
		"LSTM, other activations": {odd, out},
		"two LSTM":                {lstm, lstm, out},
		"GravesLSTM":              {graves, out},
		"GravesBidirectionalLSTM": {both, out},
		"GRU":                     {gru, gru, out},
		"GRU, reset before":       {before, out},
		"GRU without biases":      {layer.GRU{NOut: 2, NoBias: true, GateActivation: tanh}, out},
		"Bidirectional GRU":       {layer.NewBidirectional(layer.BidirectionalConcat, before), out},
		"Bidirectional GRU, last": {layer.NewBidirectional("", layer.NewLastTimeStep(gru)), last},
		"MaskZero of GRU":         {layer.MaskZero{Layer: gru}, out},
		"SimpleRnn":               {rnn, out},
		"SimpleRnn, normalised":   {normalised, out},
		"output without bias":     {lstm, layer.RnnOutput{NOut: 2, Loss: loss.MSE{}, Activation: tanh, NoBias: true}},
		"Bidirectional ADD":       {layer.NewBidirectional(layer.BidirectionalAdd, lstm), out},
		"Bidirectional MUL":       {layer.NewBidirectional(layer.BidirectionalMul, graves), out},
		"Bidirectional AVERAGE":   {layer.NewBidirectional(layer.BidirectionalAverage, rnn), out},
		"Bidirectional CONCAT":    {layer.NewBidirectional(layer.BidirectionalConcat, lstm), out},
		"Bidirectional, last":     {layer.NewBidirectional(layer.BidirectionalConcat, layer.NewLastTimeStep(lstm)), last},
		"last of Bidirectional":   {layer.NewLastTimeStep(layer.NewBidirectional(layer.BidirectionalConcat, lstm)), last},
		"LastTimeStep":            {lstm, layer.NewLastTimeStep(rnn), last},
		"MaskZero":                {layer.MaskZero{Layer: lstm}, out},
		"MaskZero of SimpleRnn":   {layer.MaskZero{Layer: rnn, Value: 2}, out},
		"TimeDistributed":         {layer.TimeDistributed{Layer: layer.Dense{NOut: 2}}, lstm, out},
		"dense between, RnnLoss": {lstm, layer.Dense{NOut: 4}, rnn, layer.RnnLoss{Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}},
		"RepeatVector":               {layer.NewLastTimeStep(lstm), layer.RepeatVector{N: 5}, rnn, out},
		"Bidirectional Graves, both": {layer.NewBidirectional(layer.BidirectionalAdd, both), out},
	} {
		for _, format := range []string{inputtype.NCW, inputtype.NWC} {
			in := inputtype.Recurrent(3, 5)
			in.Format = format
			if name == "RepeatVector" {
				if format == inputtype.NWC {
					continue
				}
			}
			net := newNet(t, Configuration{Activation: tanh, InputType: in, Layers: layers})
			m := sequences(t, net, format)
			if strings.HasPrefix(name, "MaskZero") {
				step := m.Features[0].Data[:3] // the first step of a sequence, in NWC
				for i := range step {
					step[i] = float32(layers[0].(layer.MaskZero).Value)
				}
			}
			checkRecurrent(t, name+" "+format, net, m)
			m.FeatureMasks = []*tensor.Dense{stepMask()}
			checkRecurrent(t, name+" "+format+", masked", net, m)
			if len(m.Labels[0].Shape) < 3 {
				continue
			}
			m.LabelMasks = []*tensor.Dense{stepMask()}
			checkRecurrent(t, name+" "+format+", labels masked", net, m)
			m.LabelMasks = []*tensor.Dense{{Shape: tensor.Shape{4, 1}, Data: []float32{1, 0, 1, 1}}}
			checkRecurrent(t, name+" "+format+", examples masked", net, m)
			if _, soft := net.Config().Layers[len(layers)-1].(layer.RnnLoss); !soft && name == "output without bias" {
				m.LabelMasks = []*tensor.Dense{tensor.New(m.Labels[0].Shape...)}
				for i := range m.LabelMasks[0].Data {
					m.LabelMasks[0].Data[i] = float32(i % 2)
				}
				checkRecurrent(t, name+" "+format+", outputs masked", net, m)
			}
		}
	}
}

// Images between sequences, and sequences of images.
func TestRecurrentPreprocessors(t *testing.T) {
	net := newNet(t, Configuration{Activation: activation.TanH{}, InputType: inputtype.Recurrent(3, 5),
		Layers: []layer.Layer{
			layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 1}}, layer.NewLSTM(2), layer.RnnOutput{NOut: 2, Loss: loss.MSE{},
				Activation: activation.Identity{}}},
		Preprocessors: map[int]layer.Preprocessor{0: layer.RnnToCnn{Height: 3, Width: 1, Channels: 1,
			Format: inputtype.NCW}}})
	if p, ok := net.Config().Preprocessors[1].(layer.CnnToRnn); !ok || p.Height != 2 || p.Channels != 2 {
		t.Fatalf("before the LSTM stands %+v", net.Config().Preprocessors[1])
	}
	m := sequences(t, net, inputtype.NCW)
	checkRecurrent(t, "images", net, m)
	m.FeatureMasks = []*tensor.Dense{stepMask()}
	out, err := net.Output(m, false)
	if err != nil || !out[0].Shape.Equal(tensor.Shape{4, 2, 5}) {
		t.Errorf("the output is %v, %v", out, err)
	}
}

// checkRecurrent is gradientDiffers for one minibatch.
func checkRecurrent(t *testing.T, name string, net *MultiLayer, m *data.MultiDataSet) {
	t.Helper()
	if err := gradientDiffers(t, net, m, nil); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func charNet(t *testing.T, c Configuration) *MultiLayer {
	c.Activation, c.InputType, c.Updater = activation.TanH{}, inputtype.Recurrent(3, 0), updater.Sgd{LearningRate: 0.1}
	if c.Layers == nil {
		c.Layers = []layer.Layer{layer.NewLSTM(4), layer.GRU{NOut: 3}, layer.NewGravesLSTM(3), layer.SimpleRnn{NOut: 4},
			layer.RnnOutput{NOut: 2, Loss: loss.NewMCXENT()}}
	}
	return newNet(t, c)
}

// Steps one by one, some at a time, and all at once give the same outputs.
func TestRnnTimeStep(t *testing.T) {
	net := charNet(t, Configuration{})
	m := sequences(t, net, inputtype.NCW)
	x := m.Features[0]
	all, err := net.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for from, to := range map[int]int{0: 2} {
			got, err := net.RnnTimeStep(cutDim(x, 2, from, to))
			if err != nil {
				t.Fatal(err)
			}
			compareSteps(t, got[0], cutDim(all[0], 2, from, to))
		}
		for step := 2; step < 5; step++ {
			one := cutDim(x, 2, step, step+1)
			one.Shape = one.Shape[:2]
			got, err := net.RnnTimeStep(one)
			if err != nil {
				t.Fatal(err)
			}
			if !got[0].Shape.Equal(tensor.Shape{4, 2}) {
				t.Fatalf("the output of one step has the shape %v", got[0].Shape)
			}
			want := cutDim(all[0], 2, step, step+1)
			want.Shape = want.Shape[:2]
			compareSteps(t, got[0], want)
		}
		if _, err := net.RnnTimeStep(tensor.New(3, 3, 1)); err == nil ||
			!strings.Contains(err.Error(), "RnnClearPreviousState") {
			t.Errorf("another number of sequences gives %v", err)
		}
		net.RnnClearPreviousState()
	}
	again, err := net.Output(m, false)
	if err != nil {
		t.Fatal(err)
	}
	compareSteps(t, again[0], all[0])
	both := charNet(t, Configuration{Layers: []layer.Layer{layer.NewBidirectional("", layer.NewLSTM(2)),
		layer.RnnOutput{NOut: 2, Loss: loss.NewMCXENT()}}})
	if _, err := both.RnnTimeStep(x); err == nil || !strings.Contains(err.Error(), "layer 0 (layer0)") ||
		!strings.Contains(err.Error(), "Bidirectional") {
		t.Errorf("a bidirectional layer gives %v", err)
	}
}

func compareSteps(t *testing.T, got, want *tensor.Dense) {
	t.Helper()
	if !got.Shape.Equal(want.Shape) {
		t.Fatalf("shape %v, want %v", got.Shape, want.Shape)
	}
	for i := range want.Data {
		if !near.Equal(got.Data[i], want.Data[i], 1e-6, 0) {
			t.Fatalf("element %d is %v, want %v", i, got.Data[i], want.Data[i])
		}
	}
}

// Segments are steps of their own. Without an update between them, the carried state makes their outputs equal to
// those of whole sequences.
func TestTruncatedBackprop(t *testing.T) {
	still := Configuration{BackpropType: TruncatedBPTT, TBPTTForwardLength: 2}
	net := charNet(t, still)
	m := sequences(t, net, inputtype.NCW)
	m.LabelMasks, m.FeatureMasks = []*tensor.Dense{stepMask()}, []*tensor.Dense{stepMask()}
	if _, err := net.Fit(m, Key{}); err != nil {
		t.Fatal(err)
	}
	if net.Iteration() != 3 {
		t.Errorf("5 steps by 2 are %d iterations, want 3", net.Iteration())
	}
	parts := charNet(t, still)
	if _, err := parts.Updates(m, Key{}, parts.Apply); err != nil {
		t.Fatal(err)
	}
	if parts.Iteration() != 3 || !equalBits(net.Params(), parts.Params()) ||
		!equalBits(net.UpdaterState(), parts.UpdaterState()) {
		t.Error("Fit and Updates with Apply give different parameters")
	}

	// One long segment is plain back-propagation.
	whole, plain := charNet(t, Configuration{BackpropType: TruncatedBPTT}), charNet(t, Configuration{})
	for range 3 {
		a, err := whole.Fit(m, Key{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := plain.Fit(m, Key{})
		if err != nil {
			t.Fatal(err)
		}
		if !near.Equal(a, b, 1e-6, 0) {
			t.Fatalf("scores %v and %v", a, b)
		}
	}
	for i := range plain.Params() {
		if !near.Equal(plain.Params()[i], whole.Params()[i], 1e-6, 0) {
			t.Fatalf("parameter %d is %v, want %v", i, whole.Params()[i], plain.Params()[i])
		}
	}

	// Without learning, the last segment's score equals the score of that segment in the whole sequence.
	zero := charNet(t, Configuration{BackpropType: TruncatedBPTT, TBPTTForwardLength: 3})
	for i := range zero.layout.blocks {
		zero.layout.blocks[i].updater = updater.Sgd{}
	}
	m.LabelMasks = []*tensor.Dense{{Shape: tensor.Shape{4, 5}, Data: []float32{0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1,
		0, 0, 0, 1, 1}}}
	want, err := zero.Score(m, true)
	if err != nil {
		t.Fatal(err)
	}
	got, err := zero.Fit(m, Key{})
	if err != nil || !near.Equal(got, want, 1e-6, 0) {
		t.Errorf("the last segment's score is %v (%v), want %v", got, err, want)
	}
}

// TestSegmentsLeaveImagesWhole: an image beside sequences is not cut, even if its height equals their length. An image
// with an additional row of zeros, which the sum ignores, trains the same parameters.
func TestSegmentsLeaveImagesWhole(t *testing.T) {
	const steps = 4
	fit := func(height int) *Graph {
		g := newGraph(t, GraphConfiguration{
			Inputs:     []string{"steps", "image"},
			InputTypes: []inputtype.Type{inputtype.Recurrent(2, steps), inputtype.Convolutional(height, 3, 1)},
			Outputs:    []string{"out"},
			Defaults:   Configuration{BackpropType: TruncatedBPTT, TBPTTForwardLength: 3, TBPTTBackLength: 3},
			Vertices: []GraphVertex{
				{Name: "sum", Layer: layer.GlobalPooling{Pooling: layer.SumPooling}, Inputs: []string{"image"}},
				point("repeated", vertex.DuplicateToTimeSeries{StepsOf: "steps"}, "sum"),
				point("both", vertex.NewMerge(), "steps", "repeated"),
				{Name: "out", Layer: layer.RnnOutput{NOut: 3, Loss: loss.NewMCXENT()}, Inputs: []string{"both"}},
			}})
		m := minibatch(2, 0, inputtype.Recurrent(2, steps), inputtype.Convolutional(height, 3, 1))
		image := m.Features[1]
		for i := range image.Data {
			if image.Data[i] = 0; i%image.RowSize() < 3*steps {
				image.Data[i] = float32(1+i%image.RowSize()) / 8
			}
		}
		labels := tensor.New(2, 3, steps)
		for i := range 2 * steps {
			labels.Data[i/steps*3*steps+i%3*steps+i%steps] = 1
		}
		m.Labels = []*tensor.Dense{labels}
		if _, err := g.Fit(m, Key{}); err != nil {
			t.Fatal(err)
		}
		return g
	}
	for i, want := range fit(steps + 1).Params() {
		if got := fit(steps).Params()[i]; !near.Equal(got, want, 1e-6, 0) {
			t.Errorf("parameter %d is %v, want %v", i, got, want)
		}
	}
}

// TestSegmentsCutMasksOfSequencesOnly: masks of sequences are cut along time like the sequences, other masks are not.
func TestSegmentsCutMasksOfSequencesOnly(t *testing.T) {
	const n = 4 // size of every dimension
	net := charNet(t, Configuration{BackpropType: TruncatedBPTT, TBPTTForwardLength: 3})
	m := &data.MultiDataSet{
		Features:     []*tensor.Dense{tensor.New(2, n), tensor.New(2, n, n, n), tensor.New(2, n, n)},
		FeatureMasks: []*tensor.Dense{tensor.New(2, n), tensor.New(2, n, n, n), tensor.New(2, n, n)},
	}
	part := net.segment(m, nil, 0, 3, n)
	for i, want := range []tensor.Shape{{2, n}, {2, n, n, n}, {2, n, 3}} {
		if f, mask := part.Features[i].Shape, part.FeatureMasks[i].Shape; !f.Equal(want) || !mask.Equal(want) {
			t.Errorf("features %d became %v and their mask %v, want %v", i, f, mask, want)
		}
	}
	m = sequences(t, net, inputtype.NCW)
	m.Labels = append(m.Labels, m.Labels[0])
	if _, err := net.Fit(m, Key{}); err == nil || !strings.Contains(err.Error(), "2 arrays of labels") {
		t.Errorf("labels of two outputs: %v", err)
	}
}

// The gradients of recurrent layers stop at the back length; those of the output layer use all steps.
func TestBackLength(t *testing.T) {
	layers := []layer.Layer{layer.NewLSTM(3), layer.RnnOutput{NOut: 2, Loss: loss.NewMCXENT()}}
	gradient := func(back int, f func(m *data.MultiDataSet)) []float32 {
		net := charNet(t, Configuration{Layers: layers, BackpropType: TruncatedBPTT, TBPTTForwardLength: 5,
			TBPTTBackLength: back})
		m := sequences(t, net, inputtype.NCW)
		if f != nil {
			f(m)
		}
		net.carried = states{}
		_, g, err := net.Gradient(m, Key{})
		if err != nil {
			t.Fatal(err)
		}
		return append([]float32(nil), g...)
	}
	net := charNet(t, Configuration{Layers: layers})
	_, lstmParams := net.layout.nodeRange(0)
	full, short := gradient(5, nil), gradient(2, nil)
	equal := func(a, b []float32) bool {
		for i := range a {
			if !near.Equal(a[i], b[i], 1e-6, 0) {
				return false
			}
		}
		return true
	}
	if equal(full[:lstmParams], short[:lstmParams]) {
		t.Error("the back length has no effect on the LSTM")
	}
	if !equal(full[lstmParams:], short[lstmParams:]) {
		t.Error("the back length has an effect on the output layer")
	}
	// Losses before the last two steps don't reach the LSTM.
	early := func(m *data.MultiDataSet) {
		for row := range 8 {
			copy(m.Labels[0].Data[row*5:row*5+3], []float32{9, 9, 9})
		}
	}
	if other := gradient(2, early); !equal(short[:lstmParams], other[:lstmParams]) ||
		equal(short[lstmParams:], other[lstmParams:]) {
		t.Error("labels before the back length reach the LSTM, or don't reach the output layer")
	}
}

// Errors say why something does not work.
func TestRecurrentErrors(t *testing.T) {
	in := inputtype.Recurrent(3, 5)
	out := layer.RnnOutput{NOut: 2, Loss: loss.NewMCXENT()}
	bad := layer.NewLSTM(2)
	bad.ForgetGateBiasInit = math.NaN()
	for want, c := range map[string]Configuration{
		"layer 0 (layer0): nOut is 0": {InputType: in, Layers: []layer.Layer{layer.NewLSTM(0), out}},
		"forgetGateBiasInit is NaN":   {InputType: in, Layers: []layer.Layer{bad, out}},
		`the mode "XOR" is unknown`: {InputType: in,
			Layers: []layer.Layer{layer.NewBidirectional("XOR", layer.NewLSTM(2)), out}},
		"cannot wrap layer.Dense": {InputType: in,
			Layers: []layer.Layer{layer.NewBidirectional("", layer.Dense{NOut: 2}), out}},
		"LastTimeStep has no layer within": {InputType: in, Layers: []layer.Layer{layer.LastTimeStep{}, out}},
		"RepeatVector: n is 0": {InputType: inputtype.FeedForward(3),
			Layers: []layer.Layer{layer.RepeatVector{}, out}},
		"the layer within is an output": {InputType: in,
			Layers: []layer.Layer{layer.TimeDistributed{Layer: layer.Output{NOut: 2, Loss: loss.MSE{}}}, out}},
		`backpropType "Half" is unknown`: {InputType: in, BackpropType: "Half",
			Layers: []layer.Layer{layer.NewLSTM(2), out}},
		"both must be positive": {InputType: in, BackpropType: TruncatedBPTT, TBPTTBackLength: -1,
			Layers: []layer.Layer{layer.NewLSTM(2), out}},
		"it has no Loss; set one":         {InputType: in, Layers: []layer.Layer{layer.RnnOutput{NOut: 2}}},
		"takes sequences of vectors of 7": {InputType: in, Layers: []layer.Layer{layer.LSTM{NIn: 7, NOut: 2}, out}},
		"maskingValue is NaN": {InputType: in,
			Layers: []layer.Layer{layer.MaskZero{Layer: layer.NewLSTM(2), Value: math.NaN()}, out}},
		`rnnDataFormat "CNW" is unknown: NC`: {Layers: []layer.Layer{layer.SimpleRnn{NIn: 2, NOut: 2, Format: "CNW"}, out}},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	net := charNet(t, Configuration{})
	m := sequences(t, net, inputtype.NCW)
	m.LabelMasks = []*tensor.Dense{tensor.New(4, 4)}
	if _, err := net.Fit(m, Key{}); err == nil {
		t.Error("a mask of 4 steps is taken beside 5")
	}
	net = charNet(t, Configuration{BackpropType: TruncatedBPTT,
		Layers: []layer.Layer{layer.NewLastTimeStep(layer.NewLSTM(2)),
			layer.Output{NOut: 2, Loss: loss.NewMCXENT(), Activation: activation.Softmax{}}}})
	m.LabelMasks, m.Labels = nil, []*tensor.Dense{tensor.New(4, 2)}
	if _, err := net.Fit(m, Key{}); err == nil || !strings.Contains(err.Error(), "outputs and labels that are sequences") {
		t.Errorf("labels that are no sequences give %v", fmt.Sprint(err))
	}
}
