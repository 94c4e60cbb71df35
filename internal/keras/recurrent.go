package keras

import (
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// cell is a recurrent layer without its wrappers.
type cell struct {
	*kerasLayer
	class                   string
	of                      layer.Layer
	n                       int
	backwards, all, zeroing bool
	// params returns its arrays, given the name of the vertex.
	params func(name string) []array
}

// array is an array of a cell.
type array struct {
	name  string
	shape []int
	put   func(parameters, []float32)
}

// newCell reads the settings of a recurrent layer, s, for sequences of nIn.
func newCell(b *builder, l *kerasLayer, class string, nIn int) cell {
	n := l.need("units", 1)
	if n > 1<<20 || nIn > 1<<22 {
		l.refuse("units is %d for inputs of %d: too large", n, nIn)
	}
	for _, key := range []string{"stateful", "return_state", "time_major"} {
		l.no(key, "recurrent layers with it are not read")
	}
	for _, key := range []string{"dropout", "recurrent_dropout"} {
		if l.float(key, 0) != 0 {
			b.cannot("layer %s has %s, whose draws within the layer have no counterpart", l.name, key)
		}
	}
	c := cell{kerasLayer: l, class: class, n: n, backwards: l.bool("go_backwards", false),
		all: l.bool("return_sequences", false), zeroing: l.bool("zero_output_for_mask", false)}
	bias := l.bool("use_bias", true)
	l.scope += "/" + snake(class) + "_cell"
	base := trainedBase(b, l, weight{"kernel", "W", []int{0, 1}, false}, weight{"recurrent",
		"RW", []int{0, 1}, false},
		weight{"bias", "b", []int{0}, true})
	act := readActivation(b, l.settings, "activation", "tanh")
	switch class {
	case "SimpleRNN":
		c.of = layer.SimpleRnn{Base: base, NIn: nIn, NOut: n, Activation: act, Format: inputtype.NWC}
		c.params = func(name string) []array {
			return c.arrays(nIn, bias, blocks(name+"_W", nIn, n, 0), blocks(name+"_RW", n, n, 0),
				[][]int{{n}}, plainly(name+"_b"))
		}
		if !bias {
			noteNoBias(b, l)
		}
	case "LSTM", "CuDNNLSTM":
		lstmCell(b, &c, nIn, bias, base, act)
	default:
		gruCell(b, &c, nIn, bias, base, act)
	}
	return c
}

// noteNoBias records that a bias that Keras does not have only stays 0 in inference.
func noteNoBias(b *builder, l *kerasLayer) {
	b.cannot("layer %s has no bias (use_bias), and its counterpart has one", l.name)
}

// lstmCell reorders the gates: Keras has i, f, c, o, and our layer c, f, o, i.
func lstmCell(b *builder, c *cell, nIn int, bias bool, base layer.Base, act any) {
	l, n := c.kerasLayer, c.n
	l.bool("unit_forget_bias", true)
	of := layer.NewLSTM(n)
	of.Base, of.NIn, of.Format = base, nIn, inputtype.NWC
	of.Activation = readActivation(b, l.settings, "activation", "tanh")
	of.GateActivation = readActivation(b, l.settings, "recurrent_activation", usualGate(b))
	of.ForgetGateBiasInit = 0
	if bias {
		of.ForgetGateBiasInit = 1
	} else {
		noteNoBias(b, l)
	}
	c.of = of
	gates := []int{2, 1, 3, 0}
	biases := [][]int{{4 * n}}
	if c.class == "CuDNNLSTM" {
		biases = [][]int{{8 * n}}
	}
	c.params = func(name string) []array {
		put := blocks(name+"_b", 1, n, gates...)
		if c.class == "CuDNNLSTM" { // one bias for the inputs, and one for the state
			put = func(to parameters, x []float32) {
				sum := make([]float32, 4*n)
				for i := range sum {
					sum[i] = x[i] + x[4*n+i]
				}
				blocks(name+"_b", 1, n, gates...)(to, sum)
			}
			b.cannot("layer %s is a CuDNNLSTM, which has two biases", l.name)
		}
		out := c.arrays(nIn, true, blocks(name+"_W", nIn, n, gates...), blocks(name+"_RW", n, n,
			gates...), biases, put)
		if !bias { // also for the forget gate
			return out[:2]
		}
		return out
	}
}

// usualGate returns the gates' default activation, if a file leaves it out.
func usualGate(b *builder) string {
	if b.a.since(2, 3) {
		return "sigmoid"
	}
	return "hard_sigmoid"
}

// gruCell has the gates z, r, h in both programs.
func gruCell(b *builder, c *cell, nIn int, bias bool, base layer.Base, act any) {
	l, n := c.kerasLayer, c.n
	after := l.bool("reset_after", c.class == "CuDNNGRU")
	c.of = layer.GRU{Base: base, NIn: nIn, NOut: n, Activation: readActivation(b, l.settings,
		"activation", "tanh"),
		GateActivation: readActivation(b, l.settings, "recurrent_activation", usualGate(b)), NoBias: layer.Not(!bias),
		ResetBefore: layer.Not(!after), Format: inputtype.NWC}
	biases := [][]int{{3 * n}}
	if after {
		if t := b.training; t != nil && t.shaped != nil && bias {
			b.cannot("layer %s is a GRU with reset_after, whose two biases the optimizer takes as one matrix", l.name)
		}
		biases = [][]int{{2, 3 * n}}
		if c.class == "CuDNNGRU" {
			biases = [][]int{{6 * n}}
		}
	}
	c.params = func(name string) []array {
		put := func(to parameters, x []float32) {
			copy(to(name+"_b"), x[:3*n])
			if after {
				copy(to(name+"_rb"), x[3*n:])
			}
		}
		return c.arrays(nIn, bias, blocks(name+"_W", nIn, n, 0, 1, 2), blocks(name+"_RW", n, n, 0, 1, 2), biases, put)
	}
}

// arrays lists the arrays of a cell.
func (c *cell) arrays(nIn int, bias bool, kernel, recurrent func(parameters, []float32), biases [][]int,
	put func(parameters, []float32)) []array {
	wide := biases[0][len(biases[0])-1]
	switch c.class {
	case "LSTM", "CuDNNLSTM":
		wide = 4 * c.n
	case "GRU", "CuDNNGRU":
		wide = 3 * c.n
	}
	out := []array{{"kernel", []int{nIn, wide}, kernel}, {"recurrent_kernel", []int{c.n, wide}, recurrent}}
	if bias {
		out = append(out, array{"bias", biases[0], put})
	}
	return out
}

// lowerCell adds a cell for sequences. The output is in the order of processing.
func lowerCell(b *builder, c cell, l *kerasLayer, name, prefix string, in value) value {
	x, mask := in.from, in.mask
	if c.backwards {
		x = b.add(name+"-flipped", vertex.Flip{}, x)
		if mask != "" {
			mask = b.add(name+"-mask-flipped", vertex.Flip{}, mask)
		}
	}
	of := c.of
	if mask != "" {
		x = b.add(name+"-masked", vertex.Masked{}, x, mask)
		of = layer.SkipMasked{Layer: of, ZeroOutput: c.zeroing}
	}
	shape := []int{c.n}
	if c.all {
		shape = []int{in.shape[0], c.n}
	} else {
		of = layer.LastTimeStep{Layer: of}
	}
	own := b.add(name, l.freeze(of), x)
	for _, p := range c.params(own) {
		b.own(l, prefix, p.name, true, p.shape, p.put)
	}
	out := in.with(own, shape...)
	if !c.all { // otherwise, Keras passes the mask on in its own order, even if the steps are in reverse
		out.mask = ""
	}
	return out
}

// recurrent reads SimpleRNN, LSTM or GRU.
func recurrent(b *builder, l *kerasLayer, in value) value {
	l.rankOf(in, 2)
	return lowerCell(b, newCell(b, l, l.class, l.features(in)), l, l.name, "cell/vars", in)
}

// half reads one of the inner layers of a Bidirectional.
func (l *kerasLayer) half(key string) (*kerasLayer, string) {
	o := l.object(key)
	if o.m == nil {
		return nil, ""
	}
	class := o.text("class_name", "")
	if !slices.Contains([]string{"SimpleRNN", "LSTM", "GRU", "CuDNNLSTM", "CuDNNGRU"}, class) {
		l.refuse("%s is of the class %s: SimpleRNN, LSTM and GRU are read", key, shown(class))
	}
	config := o.object("config")
	in := &kerasLayer{settings: newSettings(l.where+": "+key, config.m), name: l.name, frozen: l.frozen}
	in.scope = "/" + in.text("name", "")
	in.frozen = in.frozen || !in.bool("trainable", true)
	return in, class
}

// bidirectional runs over sequences in both directions. It becomes two layers.
func bidirectional(b *builder, l *kerasLayer, in []value) []value {
	if len(in) != 1 {
		l.refuse("it has %d inputs: it takes one", len(in))
	}
	x := in[0]
	l.rankOf(x, 2)
	for _, key := range []string{"stateful", "return_state"} {
		l.no(key, "recurrent layers with it are not read")
	}
	l.bool("return_sequences", false)
	l.text("backward_layer_name", "")
	first, class := l.half("layer")
	if first == nil {
		l.refuse("layer is missing")
	}
	second, class2 := l.half("backward_layer")
	forward := newCell(b, first, class, l.features(x))
	first.finish()
	var backward cell
	if second == nil {
		again, _ := l.half("layer")
		again.scope = strings.Replace(again.scope, "/forward_", "/backward_", 1)
		backward = newCell(b, again, class, l.features(x))
		backward.backwards = !forward.backwards
	} else {
		backward = newCell(b, second, class2, l.features(x))
		second.finish()
	}
	if forward.all != backward.all {
		l.refuse("one direction returns sequences, the other one does not")
	}
	forward.zeroing, backward.zeroing = b.a.since(2, 3), b.a.since(2, 3)
	l.frozen = l.frozen || first.frozen
	fw := lowerCell(b, forward, l, l.name+"-forward", "forward_layer/cell/vars", x)
	bw := lowerCell(b, backward, l, l.name+"-backward", "backward_layer/cell/vars", x)
	if backward.all {
		bw = bw.with(b.add(l.name+"-backward-flipped", vertex.Flip{}, bw.from), bw.shape...)
	}
	return mergeHalves(b, l, fw, bw)
}

// mergeHalves joins the two directions.
func mergeHalves(b *builder, l *kerasLayer, fw, bw value) []value {
	if v, ok := l.m["merge_mode"]; ok && v == nil {
		l.get("merge_mode")
		return []value{fw, bw}
	}
	shape := slices.Clone(fw.shape)
	var of vertex.Vertex
	mode := l.text("merge_mode", "concat")
	if mode == "concat" {
		shape[len(shape)-1] += bw.channels()
		return []value{fw.with(b.add(l.name, vertex.Merge{Axis: len(shape), Modified: true}, fw.from, bw.from), shape...)}
	}
	if !slices.Equal(fw.shape, bw.shape) {
		l.refuse("its directions have the shapes %s and %s", dims(fw.shape), dims(bw.shape))
	}
	switch mode {
	case "sum":
		of = vertex.ElementWise{Op: vertex.Add}
	case "mul":
		of = vertex.ElementWise{Op: vertex.Product}
	case "ave":
		of = vertex.ElementWise{Op: vertex.Average}
	default:
		l.wrong("merge_mode", "concat, sum, mul, ave or none")
	}
	return []value{fw.with(b.add(l.name, of, fw.from, bw.from), shape...)}
}
