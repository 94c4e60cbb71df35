// Package vertex has the nodes of graphs other than layers (Deeplearning4j: org.deeplearning4j.nn.conf.graph). Most
// take several inputs. A vertex with parameters implements [Parametric]. A vertex emits its formula like a layer.
//
// A new vertex needs one file with the struct and its methods, a test, and one line that registers its class.
package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Vertex is a vertex's configuration. Implementations are structs passed by value. A Vertex may also be [Parametric] or
// [Referring], and implement [layer.Rows] if it changes the number of rows.
type Vertex interface {
	// OutputType returns the type of the output for inputs of the given types, or an error that names the input type
	// that does not fit.
	OutputType(in []inputtype.Type) (inputtype.Type, error)
	// Forward emits the formula. Below a Stack, the values may have more or fewer rows than the minibatch has
	// examples.
	Forward(c *layer.Context, in []layer.Activation) layer.Activation
}

// Referring is a vertex that also reads an activation that is not one of its inputs: that of a network's input, or of a
// vertex. Refers returns its name. Unless that is empty, OutputType and Forward get the activation as the last element
// of in.
type Referring interface {
	Vertex
	Refers() string
}

// Classes are the vertices that configurations may name.
var Classes = dl4j.NewClasses[Vertex]("vertex")

const javaPackage = "org.deeplearning4j.nn.conf.graph."

// inputs checks the number of inputs: at least least, at most most. A most of 0 means no limit.
func inputs(in []inputtype.Type, least, most int) error {
	switch {
	case len(in) >= least && (most == 0 || len(in) <= most):
		return nil
	case least == most:
		return fmt.Errorf("takes %d inputs, got %d", least, len(in))
	case most == 0:
		return fmt.Errorf("takes %d inputs or more, got %d", least, len(in))
	}
	return fmt.Errorf("takes %d to %d inputs, got %d", least, most, len(in))
}

// either returns the mask of a result of several inputs: present where one of the inputs is. An input without a mask
// is present everywhere; then there is no mask.
func either(c *layer.Context, in []layer.Activation) *program.Value {
	mask := in[0].Mask
	if len(in) == 1 || mask == nil {
		return mask
	}
	absent := c.Binary(program.Equal, mask, c.Fill(0))
	for _, a := range in[1:] {
		if a.Mask == nil {
			return nil
		}
		absent = c.Mul(absent, c.Binary(program.Equal, a.Mask, c.Fill(0)))
	}
	return c.Sub(c.Fill(1), absent)
}

// typed gives a result the type of arrays of its shape, with the format of type in.
func typed(in inputtype.Type, v, mask *program.Value) layer.Activation {
	t, err := like(in, v.Shape)
	if err != nil {
		panic(&program.ShapeError{Op: "vertex", Shapes: []tensor.Shape{v.Shape}, Reason: err.Error()})
	}
	return layer.Activation{Value: v, Mask: mask, Type: t}
}

// like returns the type of arrays of a shape, with the format of type in if they are of the same kind.
func like(in inputtype.Type, s tensor.Shape) (inputtype.Type, error) {
	t, err := inputtype.Of(s)
	if err == nil && t.Kind == in.Kind {
		t = t.As(in.Format).Read(in.ChannelsLast).Over(in)
		if t.Kind == inputtype.RecurrentKind {
			t.Format = in.Format
		}
	}
	return t, err
}

// arrays returns the shapes of the inputs' arrays with a single row.
func arrays(in []inputtype.Type) []tensor.Shape {
	out := make([]tensor.Shape, len(in))
	for i, t := range in {
		out[i] = t.Shape(1)
	}
	return out
}
