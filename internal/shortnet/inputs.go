package shortnet

import (
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// The kinds of input.
const featuresKey, imageKey, sequenceKey, volumeKey = "features", "image", "sequence", "volume"

var inputKinds = []string{featuresKey, imageKey, sequenceKey, volumeKey}

// inputOf reads an input type: {features: 784}, {image: [28, 28, 1]}, {sequence: {features: 10, steps: 20}} or
// {volume: [8, 28, 28, 1]}. Images and volumes also accept channelsLast: true, images flat: false, and sequences steps
// and format.
func inputOf(n *yaml.Node) (t inputtype.Type, err error) {
	if n.Kind != yaml.MappingNode {
		return t, errorAt(n, "input: {features: 784}, {image: [28, 28, 1]} or {sequence: {features: 10}} should be here, "+
			"not %s", describe(n))
	}
	flat, last := true, false
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch k.Value {
		case featuresKey:
			var x []int
			if x, err = sizes(v, 1, k.Value); err == nil {
				t = inputtype.FeedForward(x[0])
			}
		case imageKey:
			var x []int
			if x, err = sizes(v, 3, "image: height, width and channels"); err == nil {
				t = inputtype.Convolutional(x[0], x[1], x[2])
			}
		case volumeKey:
			var x []int
			if x, err = sizes(v, 4, "volume: depth, height, width and channels"); err == nil {
				t = inputtype.Convolutional3D(x[0], x[1], x[2], x[3])
			}
		case sequenceKey:
			t, err = sequenceOf(v)
		case "flat":
			flat, err = truth(v, k.Value)
		case "channelsLast":
			last, err = truth(v, k.Value)
		default:
			return t, errorAt(k, "unknown input %.60q%s; it is one of features, image, sequence and volume", k.Value,
				registry.SuggestWord(k.Value, inputKinds))
		}
		if err != nil {
			return t, err
		}
	}
	if t.Kind == inputtype.Unknown {
		return t, errorAt(n, "input: features, image, sequence or volume should be here")
	}
	if t.Kind == inputtype.ConvolutionalKind && flat && !last {
		t.Kind = inputtype.ConvolutionalFlatKind
	}
	t.ChannelsLast = last
	return t, nil
}

func truth(n *yaml.Node, what string) (bool, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		return false, wrong(n, what, "true or false")
	}
	return n.Value == "true", nil
}

func sequenceOf(n *yaml.Node) (t inputtype.Type, err error) {
	t = inputtype.Recurrent(0, 0)
	if n.Kind != yaml.MappingNode {
		x, err := sizes(n, 1, sequenceKey)
		if err != nil {
			return t, err
		}
		return inputtype.Recurrent(x[0], 0), nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		var x []int
		switch k.Value {
		case featuresKey:
			if x, err = sizes(v, 1, k.Value); err == nil {
				t.Size = x[0]
			}
		case "steps":
			if x, err = sizes(v, 1, k.Value); err == nil {
				t.TimeSteps = x[0]
			}
		case "format":
			if v.Value != inputtype.NCW && v.Value != inputtype.NWC {
				return t, wrong(v, k.Value, "NCW or NWC")
			}
			t.Format = v.Value
		default:
			return t, errorAt(k, "unknown setting %.60q of sequence; it has features, steps and format", k.Value)
		}
		if err != nil {
			return t, err
		}
	}
	if t.Size == 0 {
		return t, errorAt(n, "sequence: features are missing, the numbers of each step")
	}
	return t, nil
}

// maxSize bounds the sizes of inputs.
const maxSize = 1 << 28

// sizes reads some positive numbers.
func sizes(n *yaml.Node, count int, what string) ([]int, error) {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	if len(list) != count {
		return nil, errorAt(n, "%s: %d numbers should be here, not %d", what, count, len(list))
	}
	var out []int
	total := 1
	for _, e := range list {
		x, err := strconv.Atoi(e.Value)
		if err != nil || e.Kind != yaml.ScalarNode || x < 1 || x > maxSize/total {
			return nil, wrong(e, what, "a size, from 1 to "+strconv.Itoa(maxSize)+" in all,")
		}
		total *= x
		out = append(out, x)
	}
	return out, nil
}
