package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Split splits dimension Dim into Parts equal ranges.
type Split struct{ Dim, Parts int }

// Name is "split".
func (o Split) Name() string { return "split" }

// Infer shortens the dimension.
func (o Split) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 1 || o.Dim < 0 || o.Dim >= len(in[0]) || o.Parts < 1 || in[0][o.Dim]%o.Parts != 0 {
		return nil, fmt.Errorf("dimension %d cannot be cut into %d equal parts", o.Dim, o.Parts)
	}
	out := make([]tensor.Shape, o.Parts)
	for i := range out {
		out[i] = in[0].Clone()
		out[i][o.Dim] /= o.Parts
	}
	return out, nil
}

// Grad joins the parts' gradients.
func (o Split) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	parts := make([]*Value, len(dout))
	for i, g := range dout {
		if parts[i] = g; g == nil {
			parts[i] = b.Fill(0, n.Out[i].Shape...)
		}
	}
	return []*Value{b.Concat(o.Dim, parts...)}
}
