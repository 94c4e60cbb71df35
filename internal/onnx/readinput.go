package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// maxExtent bounds an extent that a model gives.
const maxExtent = 1 << 30

// readInput makes an input of the network. The first operator that depends on the order of the axes decides it:
// networks take sequences as [batch, size, time] or [batch, time, size], and images with the channels first or last.
func readInput(r *reader, v *onnxfile.Value) error {
	switch v.Type {
	case onnxfile.Float, onnxfile.Double, onnxfile.Float16, onnxfile.Bfloat16, onnxfile.Int64, onnxfile.Int32:
	default:
		return fmt.Errorf("it has elements of %v: numbers should be here", v.Type)
	}
	if !v.HasShape || len(v.Dims) < 2 || len(v.Dims) > 5 {
		return errors.New("its shape should have 2 to 5 dimensions, the first of which is the examples'")
	}
	for _, d := range v.Dims {
		if d.Size > maxExtent {
			return fmt.Errorf("it has the extent %d", d.Size)
		}
	}
	name := strings.NewReplacer("/", ".", ":", ".", " ", "_").Replace(v.Name)
	if r.taken[name] {
		return errors.New("the name is there twice")
	}
	r.taken[name] = true
	labels, t, err := inputType(r, v)
	if err != nil {
		return err
	}
	r.inputs = append(r.inputs, name)
	r.types[name] = t
	x := &value{from: name, shared: r.readers[v.Name] != 1}
	for i, d := range v.Dims {
		a := axis{labels[i], -1}
		if d.Name == "" && d.Size > 0 && i > 0 {
			a.size = int(d.Size)
		}
		x.axes = append(x.axes, a)
	}
	r.values[v.Name] = x
	return nil
}

// inputType returns the labels of an input's axes, and its type.
func inputType(r *reader, v *onnxfile.Value) (labels string, t inputtype.Type, err error) {
	size := func(i int) int {
		if d := v.Dims[i]; d.Name == "" && d.Size > 0 {
			return int(d.Size)
		}
		return 0
	}
	first, moved := firstOperator(r, v.Name, len(v.Dims))
	indices := first != nil && (first.Op == "Gather" || first.Op == "Squeeze" && looksUp(r, first))
	switch rank := len(v.Dims); {
	case indices && rank == 2 && size(1) == 1 && first.Op == "Squeeze":
		return "b1", inputtype.FeedForward(1), nil
	case indices && rank == 2:
		return "bt", inputtype.Recurrent(1, size(1)), nil
	case indices && rank == 3 && first.Op == "Squeeze":
		return "b1t", inputtype.Recurrent(1, size(2)), nil
	case rank == 2:
		labels, t = "bf", inputtype.FeedForward(size(1))
	case rank == 3:
		labels = orientation(first, moved, "bft", "btf")
		if t = inputtype.Recurrent(size(strings.IndexByte(labels, 'f')), size(strings.IndexByte(labels,
			't'))); labels == "btf" {
			t.Format = inputtype.NWC
		}
		if t.Size == 0 {
			return "", t, errors.New("the size of a step is open: it must be known")
		}
		return labels, t, nil
	case rank == 4:
		labels = orientation(first, moved, "bchw", "bhwc")
		t = inputtype.Convolutional(size(strings.IndexByte(labels, 'h')), size(strings.IndexByte(labels, 'w')),
			size(strings.IndexByte(labels, 'c')))
	default:
		labels = orientation(first, moved, "bcdhw", "bdhwc")
		t = inputtype.Convolutional3D(size(strings.IndexByte(labels, 'd')), size(strings.IndexByte(labels, 'h')),
			size(strings.IndexByte(labels, 'w')), size(strings.IndexByte(labels, 'c')))
	}
	if len(labels) > 3 && labels[len(labels)-1] == channelAxis {
		t = t.Last()
	}
	if labels[0] != batchAxis {
		return "", t, errors.New("the examples should be the first dimension")
	}
	if t.Elements() == 0 {
		return "", t, fmt.Errorf("its shape has open extents besides that of the examples: a network of %v needs them", t)
	}
	return labels, t, nil
}

// looksUp reports whether a Squeeze is followed by a Gather from a table.
func looksUp(r *reader, n *onnxfile.Node) bool {
	for range 2 {
		next := firstReader(r, n.Outputs[0])
		if next == nil {
			return false
		}
		if n = next; n.Op == "Gather" {
			return true
		}
	}
	return false
}

// firstReader returns the first node that reads more than a value's size.
func firstReader(r *reader, name string) *onnxfile.Node { return r.first[name] }

// longestWay is the number of nodes through which an input is followed.
const longestWay = 1000

// firstOperator follows an input to the first node that depends on the order of axes. moved holds, for each axis
// there, the input's axis.
func firstOperator(r *reader, name string, rank int) (n *onnxfile.Node, moved []int) {
	moved = make([]int, rank)
	for i := range moved {
		moved[i] = i
	}
	for range longestWay {
		if n = firstReader(r, name); n == nil {
			return nil, moved
		}
		switch {
		case n.Op == "Transpose":
			perm, err := permutation(n, rank)
			if err != nil {
				return nil, moved
			}
			before := slices.Clone(moved)
			for i, p := range perm {
				moved[i] = before[p]
			}
		case n.Op == "Identity" || n.Op == "Cast" || n.Op == "Dropout" || simple[n.Op] || n.Op == "Add" || n.Op == "Sub" ||
			n.Op == "Mul" || n.Op == "Div" || r.known[n] != nil:
		default:
			return n, moved
		}
		name = n.Outputs[0]
	}
	return nil, moved
}

// orientation chooses between channels first and last, by the operator that reads them.
func orientation(n *onnxfile.Node, moved []int, first, last string) string {
	if n == nil {
		return first
	}
	channel := moved[1] // for convolutions, poolings and most others
	switch n.Op {
	case "MatMul", "Gemm", "LayerNormalization":
		channel = moved[len(moved)-1]
	case "LSTM", "GRU", "RNN":
		if channel = moved[2]; moved[1] != 0 && attributeInt(n, "layout", 0) == 0 {
			return "tbf"
		}
	case "ReduceMean", "ReduceMax", "ReduceSum", "ReduceL2":
		if a := n.Attribute("axes"); a != nil && len(a.Ints) > 0 && a.Ints[0] == 1 {
			channel = moved[len(moved)-1]
		}
	case "Gather":
		if attributeInt(n, "axis", 0) == 1 {
			channel = moved[len(moved)-1]
		}
	case "Softmax", "LogSoftmax":
		if attributeInt(n, "axis", -1) == -1 {
			channel = moved[len(moved)-1]
		}
	}
	if channel == len(moved)-1 {
		return last
	}
	return first
}
