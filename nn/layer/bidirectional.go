package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"recurrent.Bidirectional", func() Layer { return Bidirectional{} })
}

// BidirectionalMode says how Bidirectional combines its directions.
type BidirectionalMode string

// The modes: the sum, the product or the mean of the directions' activations, or both one after the other, with the
// forward direction first.
const (
	BidirectionalAdd     BidirectionalMode = "ADD"
	BidirectionalMul     BidirectionalMode = "MUL"
	BidirectionalAverage BidirectionalMode = "AVERAGE"
	BidirectionalConcat  BidirectionalMode = "CONCAT"
)

// Bidirectional runs a recurrent layer from the first step to the last, and another one of its kind from the last to
// the first: [batch, nIn, time] → [batch, nOut, time]; with Concat [batch, 2·nOut, time]; around LastTimeStep vectors
// (Deeplearning4j: recurrent.Bidirectional). The parameters are those of Fwd, with an f before their names, then those
// of Bwd with a b. The backward direction begins at the last step even if that is masked.
type Bidirectional struct {
	wrapping
	// Fwd is the forward layer: an LSTM, GRU, GravesLSTM, SimpleRnn or GravesBidirectionalLSTM, possibly within
	// LastTimeStep or MaskZero.
	Fwd Layer `dl4j:"fwd"`
	// Bwd is the backward layer; nil means Fwd.
	Bwd Layer `dl4j:"bwd"`
	// Mode is CONCAT if it is empty.
	Mode BidirectionalMode `dl4j:"mode"`
	// NIn, NOut and Format follow from the layer.
	NIn    int    `dl4j:"nin"`
	NOut   int    `dl4j:"nout"`
	Format string `dl4j:"rnndataFormat,zeronull"`
}

// NewBidirectional wraps a layer.
func NewBidirectional(mode BidirectionalMode, l Layer) Bidirectional {
	return Bidirectional{Fwd: l, Mode: mode}
}

// Settings returns the inner layer's settings, without its dropout, which is applied in each direction.
func (l Bidirectional) Settings() Settings {
	s := l.settings(l.Fwd)
	s.Dropout = nil
	return s
}

// Sizes returns nIn and nOut.
func (l Bidirectional) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is the inner layers' input type.
func (l Bidirectional) InputType() inputtype.Type { return sequenceInto(l.Fwd) }

// DataFormat is the inner layer's format.
func (l Bidirectional) DataFormat() string { return formatOf(l.Fwd) }

// Complete fills in settings that are left open.
func (l Bidirectional) Complete(d Defaults, in []inputtype.Type) (_ Layer, err error) {
	l.wrapping = l.wrapping.complete(d)
	switch l.Mode {
	case "":
		l.Mode = BidirectionalConcat
	case BidirectionalAdd, BidirectionalMul, BidirectionalAverage, BidirectionalConcat:
	default:
		return nil, fmt.Errorf("Bidirectional: the mode %q is unknown: ADD, MUL, AVERAGE and CONCAT are known", l.Mode)
	}
	if l.Bwd == nil {
		l.Bwd = l.Fwd
	}
	for _, p := range []*Layer{&l.Fwd, &l.Bwd} {
		if *p != nil && !reversible(*p) {
			return nil, fmt.Errorf("Bidirectional: cannot wrap %T: it takes LSTM, GRU, GravesLSTM, "+
				"GravesBidirectionalLSTM, SimpleRnn and other layer.Reversible ones, also within LastTimeStep or MaskZero", *p)
		}
		if *p, err = completeWithin("Bidirectional", l.Name, *p, d, in); err != nil {
			return nil, err
		}
	}
	l.wrapping = l.wrapping.normalization(l.Fwd, d)
	fi, fo := sizesWithin(l.Fwd)
	if bi, bo := sizesWithin(l.Bwd); fi != bi || fo != bo {
		return nil, fmt.Errorf("Bidirectional: the directions differ: nIn and nOut are %d and %d, and %d and %d", fi, fo,
			bi, bo)
	}
	l.NIn, l.NOut, l.Format = fi, fo, formatOf(l.Fwd)
	if _, last := l.Fwd.(LastTimeStep); l.Mode == BidirectionalConcat && !last {
		l.NOut *= 2
	}
	return l, nil
}

// reversible reports whether a layer is [Reversible].
func reversible(l Layer) bool {
	r, ok := l.(Reversible)
	return ok && r.Reversible()
}

// Preprocessor is the inner layer's preprocessor.
func (l Bidirectional) Preprocessor(in inputtype.Type) Preprocessor {
	return preprocessorWithin(l.Fwd, in)
}

// OutputType is the inner layer's output type; with Concat its size is doubled.
func (l Bidirectional) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := l.Fwd.OutputType(in)
	if l.Mode == BidirectionalConcat {
		t.Size *= 2
	}
	return t, err
}

// Params returns the parameters of both directions.
func (l Bidirectional) Params() []Param {
	var ps []Param
	for i, direction := range []Layer{l.Fwd, l.Bwd} {
		for _, p := range direction.Params() {
			p.Name = "fb"[i:i+1] + p.Name
			ps = append(ps, p)
		}
	}
	return ps
}

// Forward emits the formula.
func (l Bidirectional) Forward(c *Context, in []Activation) Activation {
	c.refuseState("Bidirectional")
	var out [2]Activation
	for i, direction := range []Layer{l.Fwd, l.Bwd} {
		d := *c
		d.Reverse = c.Reverse != (i == 1)
		d.Stream += uint64(i) * 64
		d.Params, d.Gradients = map[string]*program.Value{}, map[string]*program.Value{}
		for _, p := range direction.Params() {
			d.Params[p.Name] = c.Params["fb"[i:i+1]+p.Name]
		}
		a := in[0]
		if p := direction.Settings().Dropout; p != nil && c.Training {
			a.Value = p.Emit(c.Builder, a.Value, c.Scalar(p.Value), d.Stream)
		}
		out[i] = direction.Forward(&d, []Activation{a})
	}
	a, b := out[0].Value, out[1].Value
	y := out[0]
	switch l.Mode {
	case BidirectionalAdd:
		y.Value = c.Add(a, b)
	case BidirectionalMul:
		y.Value = c.Mul(a, b)
	case BidirectionalAverage:
		y.Value = c.Mul(c.Add(a, b), c.Fill(0.5))
	default:
		dim := 1
		if y.Type.Kind == inputtype.RecurrentKind && y.Type.Format == inputtype.NWC {
			dim = 2
		}
		y.Value = c.Concat(dim, a, b)
		y.Type.Size *= 2
	}
	return y
}
