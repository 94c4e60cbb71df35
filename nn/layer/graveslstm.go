package layer

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"GravesLSTM", func() Layer { return NewGravesLSTM(0) })
	Classes.Register(javaPackage+"GravesBidirectionalLSTM", func() Layer { return NewGravesBidirectionalLSTM(0) })
}

// GravesLSTM is an LSTM with peepholes (Graves, "Supervised sequence labelling with recurrent neural networks", 2012;
// Deeplearning4j: GravesLSTM): cₜ₋₁∘wFF is added to the forget gate's z, cₜ₋₁∘wGG to the input gate's and cₜ∘wOO to
// the output gate's. RW is [nOut, 4·nOut + 3]; its last columns are wFF, wOO and wGG. Everything else is as in LSTM.
type GravesLSTM struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	// GateActivation is Sigmoid if it is nil.
	GateActivation activation.Activation `dl4j:"gateActivationFn"`
	// ForgetGateBiasInit is the initial bias of the forget gate. It is 1 in NewGravesLSTM and if a literal leaves it
	// out. Other biases begin at 0.
	ForgetGateBiasInit float64 `dl4j:"forgetGateBiasInit"`
	// WeightInitRecurrent is the initialisation of RW; nil means WeightInit.
	WeightInitRecurrent weights.Init `dl4j:"weightInitFnRecurrent"`
	// Format is NCW or NWC; it follows from the input type.
	Format string `dl4j:"rnnDataFormat,zeronull"`
	Inert  dl4j.Inert
	meant  bool // see package literal
}

// NewGravesLSTM returns a layer with Deeplearning4j's defaults.
func NewGravesLSTM(nOut int) GravesLSTM {
	return GravesLSTM{NOut: nOut, ForgetGateBiasInit: 1, meant: true}
}

// InertFields are the settings of cuDNN.
func (GravesLSTM) InertFields() dl4j.Object { return lstmInert() }

// Sizes returns nIn and nOut.
func (l GravesLSTM) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is sequences of nIn.
func (l GravesLSTM) InputType() inputtype.Type { return sequenceOf(l.NIn, l.Format) }

// DataFormat is Format.
func (l GravesLSTM) DataFormat() string { return l.Format }

// Reversible reports true: the layer obeys Context.Reverse.
func (l GravesLSTM) Reversible() bool { return true }

// Complete fills in settings that are left open.
func (l GravesLSTM) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	f := stepFields{&l.Base, &l.NIn, &l.NOut, &l.Format, l.WeightInitRecurrent, nil, 4, 3}
	err := completeLSTM(d, in, f, &l.Activation, &l.GateActivation, &l.ForgetGateBiasInit, &l.meant)
	return l, err
}

// Preprocessor turns vectors and images into sequences.
func (l GravesLSTM) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, l.Format)
}

// OutputType is a sequence of vectors of nOut.
func (l GravesLSTM) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.NOut, l.Format)
}

// Params are W [nIn, 4·nOut], RW [nOut, 4·nOut + 3] and b [4·nOut].
func (l GravesLSTM) Params() []Param {
	return lstmParams(l.Base, l.NIn, l.NOut, 3, l.WeightInitRecurrent, l.ForgetGateBiasInit)
}

// Forward emits the formula.
func (l GravesLSTM) Forward(c *Context, in []Activation) Activation {
	return LSTM{NOut: l.NOut, Activation: l.Activation, GateActivation: l.GateActivation, Format: l.Format}.Forward(c, in)
}

// GravesBidirectionalLSTM adds the activations of two GravesLSTMs, one from the first step to the last and one from
// the last to the first: [batch, nIn, time] → [batch, nOut, time] (Deeplearning4j: GravesBidirectionalLSTM). Its
// parameters are WF, RWF and bF, then WB, RWB and bB. With a mask [batch, time], h and c are 0 after masked steps.
type GravesBidirectionalLSTM struct {
	Base
	// NIn follows from the input type if it is 0.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	// GateActivation is Sigmoid if it is nil.
	GateActivation activation.Activation `dl4j:"gateActivationFn"`
	// ForgetGateBiasInit is the initial bias of the forget gate. It is 1 in NewGravesBidirectionalLSTM and if a
	// literal leaves it out. Other biases begin at 0.
	ForgetGateBiasInit float64 `dl4j:"forgetGateBiasInit"`
	// WeightInitRecurrent is only kept for files: RWF and RWB are drawn like WF and WB, as in Deeplearning4j.
	WeightInitRecurrent weights.Init `dl4j:"weightInitFnRecurrent"`
	// Format is NCW or NWC; it follows from the input type.
	Format string `dl4j:"rnnDataFormat,zeronull"`
	Inert  dl4j.Inert
	meant  bool // see package literal
}

// NewGravesBidirectionalLSTM returns a layer with Deeplearning4j's defaults.
func NewGravesBidirectionalLSTM(nOut int) GravesBidirectionalLSTM {
	return GravesBidirectionalLSTM{NOut: nOut, ForgetGateBiasInit: 1, meant: true}
}

// InertFields are the settings of cuDNN.
func (GravesBidirectionalLSTM) InertFields() dl4j.Object { return lstmInert() }

// Sizes returns nIn and nOut.
func (l GravesBidirectionalLSTM) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// InputType is sequences of nIn.
func (l GravesBidirectionalLSTM) InputType() inputtype.Type { return sequenceOf(l.NIn, l.Format) }

// DataFormat is Format.
func (l GravesBidirectionalLSTM) DataFormat() string { return l.Format }

// Reversible reports true: the layer obeys Context.Reverse.
func (l GravesBidirectionalLSTM) Reversible() bool { return true }

// Complete fills in settings that are left open.
func (l GravesBidirectionalLSTM) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	f := stepFields{&l.Base, &l.NIn, &l.NOut, &l.Format, nil, nil, 4, 3}
	err := completeLSTM(d, in, f, &l.Activation, &l.GateActivation, &l.ForgetGateBiasInit, &l.meant)
	return l, err
}

// Preprocessor turns vectors and images into sequences.
func (l GravesBidirectionalLSTM) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, l.Format)
}

// OutputType is a sequence of vectors of nOut.
func (l GravesBidirectionalLSTM) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return sequenceType(in, l.NIn, l.NOut, l.Format)
}

// Params are WF, RWF, bF, WB, RWB and bB, with the shapes of GravesLSTM's parameters.
func (l GravesBidirectionalLSTM) Params() []Param {
	var ps []Param
	for _, direction := range []string{"F", "B"} {
		for _, p := range lstmParams(l.Base, l.NIn, l.NOut, 3, nil, l.ForgetGateBiasInit) {
			p.Name += direction
			p.Constraints = regularization.ConstraintsOn(l.Constraints, p.Name)
			ps = append(ps, p)
		}
	}
	return ps
}

// Forward emits the formula.
func (l GravesBidirectionalLSTM) Forward(c *Context, in []Activation) Activation {
	c.refuseState("GravesBidirectionalLSTM")
	x := c.steps(in[0].Value, l.Format)
	mask := c.maskSteps(in[0].Mask, x.Shape[0], x.Shape[1])
	cell := lstmCell{l.NOut, l.Activation, l.GateActivation}
	var sum *program.Value
	for i, direction := range []string{"F", "B"} {
		d := *c
		d.Stream += uint64(i) * 16
		h := cell.emit(&d, x, mask, c.Params["W"+direction], c.Params["RW"+direction],
			c.Params["b"+direction], i == 1, direction)
		if sum != nil {
			h = c.Add(sum, h)
		}
		sum = h
	}
	t := in[0].Type.As(l.Format)
	t.Size = l.NOut
	return Activation{c.sequence(sum, l.Format), in[0].Mask, t}
}
