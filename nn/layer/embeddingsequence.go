package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// EmbeddingSequence maps each index of a sequence to a learned vector: x [batch, time] or [batch, 1, time] of indices
// from 0 → act(W[x] + b) [batch, nOut, time] (Deeplearning4j: EmbeddingSequenceLayer). It must be the first layer. Its
// fan-in for the initialisation is 1. Dropout has no effect.
type EmbeddingSequence struct {
	embedding
	// InputLength is the length of the sequences if FixedLength is set; 0 means 1. Otherwise it has no effect and is
	// only kept for files.
	InputLength int `dl4j:"inputLength"`
	// FixedLength refuses sequences of other lengths. (Files have the opposite: inferInputLength.)
	FixedLength Not    `dl4j:"inferInputLength"`
	Format      string `dl4j:"outputFormat"` // "NCW"
}

// NewEmbeddingSequence returns an embedding of nIn indices into vectors of nOut, without bias, for sequences of any
// length.
func NewEmbeddingSequence(nIn, nOut int) EmbeddingSequence {
	return EmbeddingSequence{embedding: embedding{NIn: nIn, NOut: nOut}}
}

// InputType is a sequence of indices.
func (l EmbeddingSequence) InputType() inputtype.Type { return inputtype.Recurrent(1, 0) }

// Complete fills in settings that are left open.
func (l EmbeddingSequence) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if l.NIn == 0 && t.Kind == inputtype.FeedForwardKind {
		l.FixedLength = false // Deeplearning4j takes the size of such a type for the number of indices
	}
	if l.embedding, err = l.embedding.complete(d, in); err != nil {
		return nil, err
	}
	if l.InputLength == 0 {
		l.InputLength = 1
	}
	if l.Format == "" {
		l.Format = "NCW"
	}
	if l.InputLength < 1 {
		return nil, fmt.Errorf("inputLength is %d: it must be positive", l.InputLength)
	}
	if l.Format != "NCW" {
		return nil, fmt.Errorf("outputFormat %q is unknown: NCW is known", l.Format)
	}
	return l, nil
}

// Preprocessor flattens images.
func (l EmbeddingSequence) Preprocessor(in inputtype.Type) Preprocessor {
	if in.Kind == inputtype.RecurrentKind {
		return nil
	}
	return ToRows(in)
}

// OutputType is a sequence of vectors of nOut. The input is a vector of indices or a sequence of single indices. As in
// Deeplearning4j's input types, its size may be nIn instead of 1.
func (l EmbeddingSequence) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	steps := 0
	switch {
	case t.Kind == inputtype.FeedForwardKind:
		steps = t.Size
		if bool(l.FixedLength) && t.Size == l.NIn {
			steps = l.InputLength
		}
	case t.Kind == inputtype.RecurrentKind && (t.Size == 1 || t.Size == l.NIn):
		steps = t.TimeSteps
	default:
		return t, fmt.Errorf("takes indices [batch, time] or [batch, 1, time], got %v", t)
	}
	if bool(l.FixedLength) && steps != 0 && steps != l.InputLength {
		return t, fmt.Errorf("takes sequences of %d indices (inputLength, without inferInputLength), got %d",
			l.InputLength, steps)
	}
	return inputtype.Recurrent(l.NOut, steps), nil
}

// Forward emits the formula. A mask [batch, time] multiplies the activations.
func (l EmbeddingSequence) Forward(c *Context, in []Activation) Activation {
	x := in[0]
	steps := x.Value.Shape.Size() / max(c.Batch, 1)
	if s := x.Value.Shape; len(s) == 3 && s[1] != 1 || bool(l.FixedLength) && steps != l.InputLength {
		panic(&program.ShapeError{Op: "embedding of sequences", Shapes: []tensor.Shape{s},
			Reason: "indices [batch, time] or [batch, 1, time] are needed"})
	}
	z := c.Transpose(c.Reshape(l.rows(c, x.Value), c.Batch, steps, l.NOut), 0, 2, 1)
	a := c.Activate(l.Activation, z)
	if x.Mask != nil {
		a = c.Mul(a, c.Reshape(x.Mask, c.Batch, 1, steps))
	}
	return Activation{a, x.Mask, inputtype.Recurrent(l.NOut, steps)}
}

func init() {
	Classes.Register(javaPackage+"EmbeddingSequenceLayer", func() Layer { return EmbeddingSequence{FixedLength: true} })
}
