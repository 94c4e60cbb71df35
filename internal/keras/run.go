package keras

import "slices"

// lowering emits the vertices of a call of a layer.
type lowering func(b *builder, l *kerasLayer, in []value) []value

// single makes a lowering from a function for one input and one output.
func single(f func(b *builder, l *kerasLayer, in value) value) lowering {
	return func(b *builder, l *kerasLayer, in []value) []value {
		if len(in) != 1 {
			l.refuse("it has %d inputs: it takes one", len(in))
		}
		return []value{f(b, l, in[0])}
	}
}

// lowerings returns the lowering of a class. It is a function, because some lowerings call others through it.
func lowerings(class string) lowering {
	switch class {
	case "Dense":
		return single(dense)
	case "Activation":
		return single(activate)
	case "ReLU", "LeakyReLU", "ELU", "ThresholdedReLU", "Softmax":
		return single(advanced)
	case "PReLU":
		return single(prelu)
	case "Conv1D", "Convolution1D", "Conv2D", "Convolution2D", "Conv3D", "Convolution3D":
		return single(convolution)
	case "DepthwiseConv2D", "DepthwiseConv1D":
		return single(depthwise)
	case "SeparableConv2D", "SeparableConvolution2D", "SeparableConv1D", "SeparableConvolution1D":
		return single(separable)
	case "Conv1DTranspose", "Convolution1DTranspose", "Conv2DTranspose", "Convolution2DTranspose":
		return single(convolutionTranspose)
	case "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "AveragePooling1D", "AveragePooling2D", "AveragePooling3D",
		"MaxPool1D", "MaxPool2D", "MaxPool3D", "AvgPool1D", "AvgPool2D", "AvgPool3D":
		return single(pooling)
	case "GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D", "GlobalAveragePooling1D",
		"GlobalAveragePooling2D", "GlobalAveragePooling3D":
		return single(globalPooling)
	case "ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D", "Cropping1D", "Cropping2D", "Cropping3D":
		return single(borders)
	case "UpSampling1D", "UpSampling2D", "UpSampling3D":
		return single(upsampling)
	}
	return moreLowerings(class)
}

func moreLowerings(class string) lowering {
	switch class {
	case "Flatten":
		return single(flatten)
	case "Reshape":
		return single(reshape)
	case "Permute":
		return single(permute)
	case "RepeatVector":
		return single(repeatVector)
	case "Embedding":
		return single(embedding)
	case "Masking":
		return single(masking)
	case "SimpleRNN", "LSTM", "GRU", "CuDNNLSTM", "CuDNNGRU":
		return single(recurrent)
	case "Bidirectional":
		return bidirectional
	case "TimeDistributed":
		return single(timeDistributed)
	case "BatchNormalization", "BatchNormalizationV1":
		return single(batchNormalization)
	case "LayerNormalization":
		return single(layerNormalization)
	case "Normalization":
		return single(normalization)
	case "Rescaling":
		return single(rescaling)
	case "CategoryEncoding":
		return single(categoryEncoding)
	case "Discretization":
		return single(discretization)
	case "IntegerLookup":
		return single(integerLookup)
	case "StringLookup":
		return single(stringLookup)
	case "Hashing":
		return single(hashing)
	case "Dropout", "GaussianDropout", "GaussianNoise", "AlphaDropout", "SpatialDropout1D", "SpatialDropout2D",
		"SpatialDropout3D":
		return single(dropout)
	case "ActivityRegularization":
		return single(activityRegularization)
	case "Identity":
		return single(func(_ *builder, l *kerasLayer, in value) value { return in })
	case "Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum":
		return elementwise
	case "Concatenate":
		return concatenate
	case "Dot":
		return dot
	}
	return nil
}

// run emits a model for inputs, and returns its outputs. prefix is put before the names of the layers.
func (b *builder) run(m *model, in []value, prefix string) []value {
	if len(in) != len(m.inputs) {
		refuse("the model %s has %d inputs, and is called with %d", m.name, len(m.inputs), len(in))
	}
	for _, l := range m.layers {
		l.outs = make([][]value, len(l.calls))
		l.busy = false
	}
	for i, r := range m.inputs {
		l := m.byName[r.layer]
		if l == nil || l.class != "InputLayer" || r.node != 0 || r.tensor != 0 {
			refuse("the model %s: its input %s is none of its InputLayers", m.name, shown(r.layer))
		}
		l.outs = [][]value{{in[i]}}
	}
	for _, l := range m.layers {
		for node := range l.outs {
			if !l.operation {
				b.call(m, l, node, prefix, 0)
			}
		}
	}
	var out []value
	for _, r := range m.outputs {
		out = append(out, b.resolve(m, r, prefix, "the model "+m.name, 0))
	}
	return out
}

// resolve returns a tensor, after emitting the call that computes it.
func (b *builder) resolve(m *model, r reference, prefix, by string, depth int) value {
	l := m.byName[r.layer]
	switch {
	case l == nil:
		refuse("%s: it takes an output of the layer %s, which is not there", by, shown(r.layer))
	case l.operation:
		refuse("%s: it takes the result of the operation %s (%.60s): arithmetic outside of layers is not read", by, l.name,
			l.class)
	case r.node >= len(l.outs):
		refuse("%s: it takes the output of call %d of layer %s, which has %d", by, r.node, l.name, len(l.outs))
	case depth > maxLayers:
		refuse("%s: the layers are nested too deeply", by)
	}
	out := b.call(m, l, r.node, prefix, depth)
	if r.tensor >= len(out) {
		refuse("%s: it takes output %d of layer %s, which has %d", by, r.tensor, l.name, len(out))
	}
	return out[r.tensor]
}

// call emits a call of a layer once.
func (b *builder) call(m *model, l *kerasLayer, node int, prefix string, depth int) []value {
	if l.outs[node] != nil {
		return l.outs[node]
	}
	if l.class == "InputLayer" {
		l.refuse("it is not an input of its model")
	}
	if l.busy {
		l.refuse("it depends on its own output")
	}
	l.busy = true
	var in []value
	for _, r := range l.calls[node] {
		in = append(in, b.resolve(m, r, prefix, l.where, depth+1))
	}
	l.busy = false
	if len(b.vertices) > 4*maxLayers {
		l.refuse("the models make more than %d layers", 4*maxLayers)
	}
	own := l.name
	l.name = prefix + own
	if l.inner != nil {
		l.outs[node] = b.run(l.inner, in, prefix+own+"/")
	} else {
		l.outs[node] = b.lower(l, in)
	}
	l.name = own
	if l.lowered++; l.lowered > 1 && len(l.variables()) > 0 && l.class != "Normalization" {
		b.cannot("layer %s is called several times, and its weights are copied", l.name)
	}
	if l.outs[node] == nil {
		l.outs[node] = []value{}
	}
	return l.outs[node]
}

// lower emits a call.
func (b *builder) lower(l *kerasLayer, in []value) []value {
	f := lowerings(l.class)
	if f == nil {
		l.refuse("layers of this class are not read")
	}
	l.get("trainable")
	l.no("activity_regularizer_unknown", "")
	if r := l.get("activity_regularizer"); r != nil {
		b.cannot("layer %s has an activity_regularizer", l.name)
	}
	if l.text("data_format", "channels_last") == "channels_first" && len(in) == 1 && in[0].rank() > 1 {
		first := b.channelsLast(l.name+"-channels-last", in[0])
		out := f(b, l, []value{first})
		l.finish()
		for i, t := range out {
			if t.rank() > 1 {
				out[i] = b.channelsFirst(l.name+"-channels-first", t)
			}
		}
		return out
	}
	if len(in) == 0 {
		l.refuse("it has no inputs")
	}
	out := f(b, l, slices.Clone(in))
	l.finish()
	return out
}
