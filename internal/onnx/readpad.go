package onnx

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/onnxfile"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/vertex"
)

// readPad reads padding with zeros around images and sequences.
func readPad(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	axes, err := spatial(v)
	if err != nil {
		return err
	}
	pads, err := r.list(n, "pads", 1)
	if err != nil {
		return err
	}
	if mode := attributeText(n, "mode", "constant"); mode != "constant" || attributeFloat(n, "value", 0) != 0 ||
		given(n, 2) && (r.constants[n.Inputs[2]] == nil || !r.constants[n.Inputs[2]].zero()) || given(n, 3) {
		return errors.New("it pads with others than zeros, or some axes only by name")
	}
	if len(pads) != 2*len(v.axes) {
		return fmt.Errorf("it has %d pads for %d axes", len(pads), len(v.axes))
	}
	s := sliding{kernel: repeat(0, len(axes)), dilation: repeat(1, len(axes)), mode: layer.Truncate}
	for i := range v.axes {
		b, a := pads[i], pads[len(v.axes)+i]
		if i < 2 && (b != 0 || a != 0) || b < 0 || a < 0 || max(a, b) > 1<<20 {
			return fmt.Errorf("it pads by %v", pads)
		}
		if i >= 2 {
			s.before, s.after = append(s.before, int(b)), append(s.after, int(a))
		}
	}
	var l layer.Layer
	b, a := s.before, s.after
	switch len(axes) {
	case 1:
		l = layer.ZeroPadding1D{Padding: [2]int{b[0], a[0]}}
	case 2:
		l = layer.ZeroPadding2D{Padding: [4]int{b[0], a[0], b[1], a[1]}}
	default:
		l = layer.ZeroPadding3D{Padding: [6]int{b[0], a[0], b[1], a[1], b[2], a[2]}}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// readResize reads an upsampling that repeats pixels or steps.
func readResize(r *reader, n *onnxfile.Node) error {
	v, err := r.operand(n, 0)
	if err != nil {
		return err
	}
	axes, err := spatial(v)
	if err != nil {
		return err
	}
	times, err := repetitions(r, n, v)
	if err != nil {
		return err
	}
	if attributeText(n, "mode", "nearest") != "nearest" {
		return interpolate(r, n, v, times)
	}
	var l layer.Layer
	switch len(axes) {
	case 1:
		l = layer.Upsampling1D{Size: one(times)}
	case 2:
		l = layer.Upsampling2D{Size: two(times)}
	default:
		l = layer.Upsampling3D{Size: three(times)}
	}
	name, err := r.add(n, nn.GraphVertex{Layer: l, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// interpolate reads an upsampling that interpolates between the centres of pixels.
func interpolate(r *reader, n *onnxfile.Node, v *value, times []int) error {
	at := attributeText(n, "coordinate_transformation_mode", "half_pixel")
	if len(times) != 2 || n.Op != "Resize" || attributeText(n, "mode", "") != "linear" ||
		at != "half_pixel" && at != "pytorch_half_pixel" || attributeInt(n, "antialias", 0) != 0 {
		return errors.New("it interpolates: repeated pixels, and images by mode linear between the centres of pixels " +
			"(align_corners=False), have a layer")
	}
	name, err := r.add(n, nn.GraphVertex{Vertex: vertex.Bilinear{Size: two(times)}, Inputs: []string{v.from}}, nil)
	if err != nil {
		return err
	}
	y, err := r.like(name, v)
	r.set(n, y)
	return err
}

// repetitions returns how often each pixel is repeated, from scales or sizes.
func repetitions(r *reader, n *onnxfile.Node, v *value) (times []int, err error) {
	scales := make([]float32, len(v.axes))
	switch at := map[string]int{"Upsample": 1, "Resize": 2}[n.Op]; {
	case n.Op == "Resize" && r.opset < 11, n.Op == "Upsample" && r.opset < 9:
		return nil, errors.New("it is of an op set before 11: save the model with a newer one")
	case given(n, 3):
		sizes, err := r.list(n, "sizes", 3)
		if err != nil {
			return nil, err
		}
		if len(sizes) != len(v.axes) {
			return nil, errors.New("it has sizes for other axes")
		}
		for i, a := range v.axes {
			if scales[i] = 1; i > 1 {
				scales[i] = float32(sizes[i]) / float32(a.size)
			}
		}
	default:
		if scales, _, err = r.weights(n, at, 1); err != nil {
			return nil, err
		}
	}
	if len(scales) != len(v.axes) || scales[0] != 1 || scales[1] != 1 {
		return nil, fmt.Errorf("it has the scales %v", scales)
	}
	for _, x := range scales[2:] {
		if x < 1 || x > 1<<10 || x != float32(int(x)) {
			return nil, fmt.Errorf("the scales %v are not whole", scales)
		}
		times = append(times, int(x))
	}
	return times, nil
}
