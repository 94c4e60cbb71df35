package layer

import (
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/program"
)

// Context is the environment of Forward: the builder, parameters and masks.
type Context struct {
	*program.Builder
	// Batch is the number of examples.
	Batch int
	// Training is false in inference, which has no dropout and uses stored statistics.
	Training bool
	// Stream is the first of the layer's 256 random streams: Random(Stream+k) and Normal(Stream+k) draw numbers that
	// only depend on the run's seed and the minibatch. Stream+0 is for the dropout of the inputs, Stream+1 for
	// Activate.
	Stream uint64
	// Params holds the layer's parameters by name, in their stored shape.
	Params map[string]*program.Value
	// Gradients holds the gradients that the layer sets itself.
	Gradients map[string]*program.Value
	// LabelMask is the mask of the labels if the layer is an output; nil if there is none.
	LabelMask *program.Value
	// ApplyMask makes layers that otherwise ignore masks set masked steps to zero.
	ApplyMask bool
	// SkipMasked makes recurrent layers skip masked steps: their states do not change.
	SkipMasked bool
	// Reverse makes recurrent layers run from the last step to the first.
	Reverse bool
	// BackLength is the number of steps that recurrent layers' gradients go back in truncated back-propagation; 0
	// means all.
	BackLength int
	// State returns a recurrent layer's state [rows, n] from the run before, by a name that the layer chooses.
	// KeepState keeps the state for the next run. Both are nil if runs begin at zero.
	State     func(name string, rows, n int) *program.Value
	KeepState func(name string, v *program.Value)
	// Scalar returns a value of shape [] that each run computes from the network's iteration and epoch.
	Scalar func(value func(iteration, epoch int) float64) *program.Value
}

// SetGradient stores g in the gradient vector for a parameter, instead of the derivative of the loss. Batch
// normalisation moves its statistics in this way, as in Deeplearning4j.
func (c *Context) SetGradient(param string, g *program.Value) { c.Gradients[param] = g }

// MatMulT is x·wᵀ: x [rows, in], w [out, in] → [rows, out]. Deeplearning4j's 'f' weights [in, out] are stored as w.
func (c *Context) MatMulT(x, w *program.Value) *program.Value {
	return c.Apply(program.MatMul{TransB: true}, x, w)
}

// Affine is x·w + b with the parameters of those names, a [Base.Matrix] and a [Base.Bias]: x [rows, in] → [rows, out].
func (c *Context) Affine(x *program.Value, w, b string) *program.Value {
	return c.Add(c.MatMulT(x, c.Params[w]), c.Params[b])
}

// Activate applies an activation to z, with the context's mode and random stream 1.
func (c *Context) Activate(a activation.Activation, z *program.Value) *program.Value {
	return a.Apply(c.Builder, z, activation.Env{Training: c.Training, Stream: c.Stream + 1})
}

// Mask multiplies x [rows, n] by a mask of [rows, 1] or of x's shape. It returns x if mask is nil.
func (c *Context) Mask(x, mask *program.Value) *program.Value {
	if mask == nil {
		return x
	}
	return c.Mul(x, mask)
}
