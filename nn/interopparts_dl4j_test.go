//go:build dl4j

package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/tensor"
)

// interopGraphs are graphs of every class of vertex, and graphs with parallel dense layers, one for each activation,
// updater and so on.
func interopGraphs() map[string]interopBuilt {
	row, image, sequence := inputtype.FeedForward(4), inputtype.Convolutional(5, 5, 2), inputtype.Recurrent(3, 5)
	convolution := layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}, Activation: activation.TanH{}}
	lstm := layer.NewLSTM(2)
	graph := func(in []inputtype.Type, v ...GraphVertex) interopBuilt {
		return interopBuilt{graph: &GraphConfiguration{Defaults: Configuration{Updater: updater.NewAdam()},
			Inputs: []string{"a", "b", "c"}[:len(in)], InputTypes: in, Outputs: []string{"o"}, Vertices: v}}
	}
	one, both := []inputtype.Type{row}, []inputtype.Type{row, row}
	all := map[string]interopBuilt{
		"elements": graph(both, dense("d", 4, "a"), dense("e", 4, "b"),
			point("add", vertex.ElementWise{Op: vertex.Add}, "d", "e", "a"),
			point("subtract", vertex.ElementWise{Op: vertex.Subtract}, "add", "d"),
			point("product", vertex.ElementWise{Op: vertex.Product}, "subtract", "e"),
			point("average", vertex.ElementWise{Op: vertex.Average}, "product", "d"),
			point("max", vertex.ElementWise{Op: vertex.Max}, "average", "b"), output("o", "max")),
		"rows of vertices": graph(both, dense("d", 4, "a"), dense("e", 5, "b"),
			point("subset", vertex.Subset{From: 1, To: 4}, "e"),
			point("stack", vertex.Stack{}, "d", "subset"), dense("f", 3, "stack"), point("first", vertex.Unstack{Of: 2}, "f"),
			point("second", vertex.Unstack{From: 1, Of: 2}, "f"), point("scale", vertex.Scale{Factor: 0.7}, "first"),
			point("shift", vertex.Shift{By: 0.3}, "second"), point("distance", vertex.NewL2(), "scale", "shift"),
			point("unit", vertex.NewL2Normalize(), "d"), dense("g", 3, "scale", "shift", "distance", "unit"), output("o", "g")),
		"images of vertices": graph([]inputtype.Type{image},
			GraphVertex{Name: "c", Layer: convolution, Inputs: []string{"a"}},
			point("helper", vertex.PoolHelper{}, "c"), point("shape", vertex.NewReshape(-1, 2, 9, 1), "helper"),
			point("square", vertex.NewReshape(-1, 2, 3, 3), "shape"),
			GraphVertex{Name: "e", Layer: convolution, Inputs: []string{"square"}},
			point("merge", vertex.NewMerge(), "e", "e"), point("flat", vertex.Preprocessor{Preprocessor: layer.CnnToFeedForward{
				Height: 2, Width: 2, Channels: 4, Format: "NCHW"}}, "merge"), output("o", "flat")),
		"sequences of vertices": graph([]inputtype.Type{sequence, inputtype.FeedForward(2)},
			GraphVertex{Name: "l", Layer: lstm, Inputs: []string{"a"}},
			point("back", vertex.ReverseTimeSeries{MaskOf: "a"}, "l"), point("again", vertex.ReverseTimeSeries{}, "l"),
			point("end", vertex.LastTimeStep{MaskOf: "a"}, "back"),
			point("steps", vertex.DuplicateToTimeSeries{StepsOf: "a"}, "b"),
			point("both", vertex.NewMerge(), "steps", "again"), point("last", vertex.LastTimeStep{MaskOf: "a"}, "both"),
			output("o", "end", "last")),
		"frozen vertex": graph(one, point("f", vertex.Frozen{Vertex: vertex.Scale{Factor: 2}}, "a"),
			dense("d", 4, "f"), output("o", "d")),
	}
	attention := attending(projected)
	all["attention vertex"] = interopBuilt{graph: &attention,
		limits: interopLimits{unlike: oracleMended["attention-vertex"]}}

	side := map[string][]layer.Layer{}
	add := func(kind string, l layer.Dense) {
		l.Name, l.NOut = fmt.Sprintf("%s%d", kind, len(side[kind])), 4
		side[kind] = append(side[kind], l)
	}
	for _, name := range activation.Names() {
		kind := "activations"
		if name == "RRELU" {
			kind = "random activation"
		}
		add(kind, layer.Dense{Activation: must(activation.ByName(name))})
	}
	for _, u := range []updater.Updater{updater.NewAdam(), updater.NewAdaMax(), updater.NewNadam(), updater.NewAMSGrad(),
		updater.NewAdaGrad(),
		updater.NewAdaDelta(), updater.NewRmsProp(), updater.NewNesterovs(), updater.NewSgd(), updater.NoOp{}} {
		add("updaters", layer.Dense{Base: layer.Base{Updater: u}})
		add("updaters", layer.Dense{Base: layer.Base{BiasUpdater: u}})
	}
	for _, kind := range []updater.ScheduleType{updater.Iteration, updater.Epoch} {
		for _, s := range []updater.Schedule{
			updater.StepSchedule{Type: kind, InitialValue: 0.1, DecayRate: 0.5, Step: 2},
			updater.ExponentialSchedule{Type: kind, InitialValue: 0.1, Gamma: 0.7},
			updater.InverseSchedule{Type: kind, InitialValue: 0.1, Gamma: 0.3, Power: 2},
			updater.PolySchedule{Type: kind, InitialValue: 0.1, Power: 2, MaxIter: 10},
			updater.SigmoidSchedule{Type: kind, InitialValue: 0.1, Gamma: 0.5, StepSize: 2}, updater.FixedSchedule{V: 0.05},
			updater.MapSchedule{Type: kind, Values: updater.ScheduleValues{0: 0.1, 2: 0.03}},
			updater.NewCycleSchedule(kind, 0.1, 10),
		} {
			momentum := updater.Nesterovs{LearningRateSchedule: s, MomentumSchedule: updater.StepSchedule{Type: kind,
				InitialValue: 0.9, DecayRate: 0.9, Step: 1}}
			add("schedules", layer.Dense{Base: layer.Base{Updater: momentum, BiasUpdater: updater.Adam{
				LearningRateSchedule: s, Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8}}})
		}
	}
	for _, name := range weights.Names() {
		add("weights", layer.Dense{Base: layer.Base{WeightInit: must(weights.ByName(name))}})
	}
	normal := weights.NormalDistribution{Mean: 0.1, Std: 0.3}
	for _, d := range []weights.Distribution{normal, weights.GaussianDistribution{NormalDistribution: normal},
		weights.ConstantDistribution{Value: 0.3},
		weights.TruncatedNormalDistribution{Std: 0.4}, weights.LogNormalDistribution{Mean: -1, Std: 0.3},
		weights.UniformDistribution{Lower: -1, Upper: 1},
		weights.BinomialDistribution{NumberOfTrials: 2, ProbabilityOfSuccess: 0.4}, weights.OrthogonalDistribution{Gain: 1}} {
		add("weights", layer.Dense{Base: layer.Base{WeightInit: weights.FromDistribution{Distribution: d}}})
	}
	for _, r := range []regularization.Regularization{regularization.NewL1(0.02), regularization.NewL2(0.03),
		regularization.NewWeightDecay(0.04, true),
		regularization.NewWeightDecay(0.05, false)} {
		list := []regularization.Regularization{r}
		add("regularisation", layer.Dense{Base: layer.Base{Regularization: list, RegularizationBias: list}})
	}
	for _, g := range []layer.GradientNormalization{layer.RenormalizeL2PerLayer, layer.RenormalizeL2PerParam,
		layer.ClipElementWiseAbsolute,
		layer.ClipL2PerLayer, layer.ClipL2PerParam} {
		add("gradient normalisation", layer.Dense{Base: layer.Base{GradientNormalization: g,
			GradientNormalizationThreshold: 0.01}})
	}
	for _, c := range []regularization.Constraint{regularization.NewMaxNorm(0.5, 1).Of("W"),
		regularization.NewMinMaxNorm(0.2, 0.5, 1).Of("W"),
		regularization.NewUnitNorm(1).Of("W"), regularization.NewNonNegative().Of("W")} {
		add("constraints", layer.Dense{Base: layer.Base{Constraints: []regularization.Constraint{c}}})
	}
	for _, d := range []regularization.Dropout{regularization.NewDropout(0.8),
		regularization.InvertedDropout{PSchedule: updater.FixedSchedule{V: 0.7}}, regularization.NewAlphaDropout(0.8),
		regularization.GaussianDropout{Rate: 0.2}, regularization.GaussianNoise{Std: 0.1}} {
		add("dropouts", layer.Dense{Base: layer.Base{Dropout: d}})
	}
	for _, n := range []regularization.Noise{regularization.NewDropConnect(0.8), regularization.NewWeightNoise(normal)} {
		add("weight noise", layer.Dense{Base: layer.Base{WeightNoise: n}})
	}
	for kind, layers := range side {
		var v []GraphVertex
		var names []string
		for _, l := range layers {
			names = append(names, l.Settings().Name)
			v = append(v, GraphVertex{Name: l.Settings().Name, Layer: l, Inputs: []string{"a"}})
		}
		b := graph(one, append(v, output("o", names...))...)
		if kind == "dropouts" || kind == "weight noise" || kind == "random activation" {
			b.limits.unlike = randomStep
		}
		all[kind] = b
	}
	all["losses"] = interopLosses(graph(one))
	return all
}

// interopLosses has an output for each loss, with suitable labels.
func interopLosses(b interopBuilt) interopBuilt {
	const rows = 4
	s := random.NewSource(11)
	array := func(columns int, element func() float32) *tensor.Dense {
		a := tensor.New(rows, columns)
		for i := range a.Data {
			a.Data[i] = element()
		}
		return a
	}
	normal := func(n int) *tensor.Dense { return array(n, func() float32 { return float32(s.Normal()) }) }
	positive := func(n int) *tensor.Dense { return array(n, func() float32 { return 0.1 + 0.8*float32(s.Float64()) }) }
	signs := func(n int) *tensor.Dense { return array(n, func() float32 { return float32(2*s.Intn(2) - 1) }) }
	bits := func(n int) *tensor.Dense { return array(n, func() float32 { return float32(s.Intn(2)) }) }
	class := func(int) *tensor.Dense { return array(1, func() float32 { return float32(s.Intn(3)) }) }
	classes := func(n int) *tensor.Dense {
		a := tensor.New(rows, n)
		for i := range rows {
			a.Data[i*n+s.Intn(n)] = 1
		}
		return a
	}
	g := b.graph
	g.Outputs, g.Vertices = nil, []GraphVertex{dense("d", 5, "a")}
	add := func(l loss.Loss, act activation.Activation, n int, labels func(n int) *tensor.Dense) {
		name := fmt.Sprintf("output%d", len(g.Outputs))
		g.Outputs = append(g.Outputs, name)
		g.Vertices = append(g.Vertices, GraphVertex{Name: name, Layer: layer.Output{NOut: n, Activation: act, Loss: l},
			Inputs: []string{"d"}})
		b.labels = append(b.labels, labels(n))
	}
	identity, sigmoid, softmax := activation.Identity{}, activation.Sigmoid{}, activation.Softmax{}
	for _, l := range []loss.Loss{loss.MSE{}, loss.L1{}, loss.L2{}, loss.MAE{}, loss.CosineProximity{},
		loss.MSE{Weighted: loss.Weighted{Weights: loss.NewWeights(1, 0.5, 2)}}} {
		add(l, identity, 3, normal)
	}
	for _, l := range []loss.Loss{loss.MAPE{}, loss.MSLE{}, loss.Poisson{}} {
		add(l, sigmoid, 3, positive)
	}
	for _, l := range []loss.Loss{loss.NewMCXENT(), loss.NewNegativeLogLikelihood(), loss.KLD{}} {
		add(l, softmax, 3, classes)
	}
	add(loss.Hinge{}, activation.TanH{}, 3, signs)
	add(loss.SquaredHinge{}, activation.TanH{}, 3, signs)
	add(loss.Wasserstein{}, identity, 3, signs)
	add(loss.NewXENT(), sigmoid, 3, bits)
	add(loss.NewSparseMCXENT(), softmax, 3, class)
	add(loss.NewFMeasure(), sigmoid, 1, func(int) *tensor.Dense {
		return &tensor.Dense{Shape: tensor.Shape{rows, 1}, Data: []float32{1, 0, 1, 1}}
	})
	add(loss.MultiLabel{}, identity, 3, classes)
	add(loss.MixtureDensity{LabelWidth: 2, Mixtures: 2}, identity, 8, func(int) *tensor.Dense { return normal(2) })
	return b
}

// interopPreprocessors are networks of the preprocessors that the other networks don't have, and of SpatialDropout.
func interopPreprocessors() map[string]interopBuilt {
	convolution := layer.Convolution2D{NOut: 2, Kernel: [2]int{2, 2}, Activation: activation.TanH{}}
	out := layer.Output{NOut: 3, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	steps := layer.RnnToCnn{Height: 4, Width: 3, Channels: 2, Format: inputtype.NCW}
	volumes := layer.FeedForwardToCnn3D{Depth: 3, Height: 4, Width: 3, Channels: 2, NCDHW: true}
	row := layer.ComposablePreprocessor{Preprocessors: []layer.Preprocessor{
		layer.FeedForwardToCnn{Height: 4, Width: 3, Channels: 2},
		layer.CnnToFeedForward{Height: 4, Width: 3, Channels: 2, Format: "NCHW"}}}
	before := func(p layer.Preprocessor) Configuration {
		return Configuration{Preprocessors: map[int]layer.Preprocessor{0: p}}
	}
	spatial := convolution
	spatial.Dropout = regularization.SpatialDropout{P: 0.8}
	return map[string]interopBuilt{
		"flat images": {in: inputtype.ConvolutionalFlat(5, 4, 2), layers: []layer.Layer{convolution, out}},
		"images as steps": {in: inputtype.Recurrent(24, 5), base: before(steps),
			layers: []layer.Layer{convolution, layer.NewLSTM(3), layer.RnnOutput{NOut: 3, Loss: loss.NewMCXENT()}}},
		"flat volumes": {in: inputtype.FeedForward(72), base: before(volumes),
			layers: []layer.Layer{layer.Convolution3D{NOut: 2}, out}},
		"in a row": {in: inputtype.FeedForward(24), base: before(row),
			layers: []layer.Layer{layer.Dense{NOut: 4, Activation: activation.TanH{}}, out}},
		"spatial dropout": {in: inputtype.Convolutional(5, 4, 3), layers: []layer.Layer{spatial, out},
			limits: interopLimits{unlike: randomStep}},
	}
}
