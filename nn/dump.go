package nn

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// Program describes a training step on minibatches of batch examples: the operations with their shapes, and the
// executor's plan with its buffers. The configuration must have the types of the inputs.
func (n *Network) Program(batch int) (string, error) {
	var arrays []inputtype.Type
	var of shapes
	for _, t := range n.InputTypes() {
		if t.Kind == inputtype.Unknown {
			return "", fmt.Errorf("the configuration does not say what the network's inputs are")
		}
		if t.Kind == inputtype.RecurrentKind && t.TimeSteps == 0 {
			t.TimeSteps = 1
		}
		of.features = append(of.features, t.Shape(batch))
		arrays = append(arrays, asArray(t))
	}
	_, out, err := n.types(arrays)
	if err != nil {
		return "", err
	}
	_, rows := n.rows(batch)
	for _, i := range n.outputs {
		s, err := n.scorer(i)
		if err != nil {
			return "", err
		}
		of.labels = append(of.labels, tensor.Shape(s.LabelShape(out[i], rows[i])))
	}
	var b strings.Builder
	err = n.dump(&b, of)
	return b.String(), err
}

// asArray returns the type that inputtype.Of finds for arrays of type t.
func asArray(t inputtype.Type) inputtype.Type {
	if t.Kind == inputtype.ConvolutionalFlatKind {
		return inputtype.FeedForward(t.Elements())
	}
	return t
}

// dump writes the programs of a training step on minibatches of these shapes: operations, shapes, and the
// executor's plan with its buffers.
func (n *programs) dump(b *strings.Builder, of shapes) error {
	step, err := n.newPlan(n.stepGradient(), true, &of)
	if err != nil {
		return err
	}
	update, err := n.updateAfter(step, forStep)
	if err != nil {
		return err
	}
	titles := []string{"forward and backward", "update"}
	for i, pl := range []*plan{step, update} {
		fmt.Fprintf(b, "# %s: %d operations, %d bytes of buffers\n", titles[i], len(pl.program.Nodes), pl.exe.Memory())
		if err := pl.program.Dump(b); err != nil {
			return err
		}
		fmt.Fprintf(b, "# plan\n")
		if err := pl.exe.Dump(b); err != nil {
			return err
		}
	}
	return nil
}
