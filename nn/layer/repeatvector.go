package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
)

func init() {
	Classes.Register(javaPackage+"misc.RepeatVector", func() Layer { return RepeatVector{N: 1, Format: inputtype.NCW} })
}

// RepeatVector repeats vectors as N equal steps of sequences: [batch, nIn] → [batch, nIn, N] (Deeplearning4j:
// misc.RepeatVector).
type RepeatVector struct {
	Base
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`         // ignored; Deeplearning4j writes 0
	Activation activation.Activation `dl4j:"activationFn"` // ignored
	N          int                   `dl4j:"n"`
	Format     string                `dl4j:"dataFormat"` // NCW, the default, or NWC
}

// Complete fills in settings that are left open.
func (l RepeatVector) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	if l.Format == "" {
		l.Format = inputtype.NCW
	}
	if l.Format != inputtype.NCW && l.Format != inputtype.NWC {
		return nil, fmt.Errorf("RepeatVector: the dataFormat %q is unknown: NCW and NWC are known", l.Format)
	}
	if l.N < 1 {
		return nil, fmt.Errorf("RepeatVector: n is %d: it must be positive", l.N)
	}
	l.NIn, err = RowSize(l.NIn, in)
	return l, err
}

// Preprocessor flattens images.
func (l RepeatVector) Preprocessor(in inputtype.Type) Preprocessor { return ToRows(in) }

// OutputType is a sequence.
func (l RepeatVector) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err == nil && (t.Kind != inputtype.FeedForwardKind || t.TimeSteps > 0) {
		err = fmt.Errorf("RepeatVector: takes vectors, got %v", t)
	}
	return inputtype.Type{Kind: inputtype.RecurrentKind, Size: t.Size, TimeSteps: l.N, Format: l.Format}, err
}

// Params is empty.
func (l RepeatVector) Params() []Param { return nil }

// Forward repeats the vectors.
func (l RepeatVector) Forward(c *Context, in []Activation) Activation {
	x := in[0].Value
	rows, n := x.Shape[0], x.Shape[1]
	t := inputtype.Type{Kind: inputtype.RecurrentKind, Size: n, TimeSteps: l.N, Format: l.Format}
	if l.Format == inputtype.NWC {
		return Activation{Value: c.BroadcastTo(c.Reshape(x, rows, 1, n), rows, l.N, n), Type: t}
	}
	return Activation{Value: c.BroadcastTo(c.Reshape(x, rows, n, 1), rows, n, l.N), Type: t}
}
