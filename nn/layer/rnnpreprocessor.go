package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	PreprocessorClasses.Register(preprocessorPackage+"RnnToFeedForwardPreProcessor",
		func() Preprocessor { return RnnToFeedForward{Format: inputtype.NCW} })
	PreprocessorClasses.Register(preprocessorPackage+"FeedForwardToRnnPreProcessor",
		func() Preprocessor { return FeedForwardToRnn{Format: inputtype.NCW} })
	PreprocessorClasses.Register(preprocessorPackage+"RnnToCnnPreProcessor",
		func() Preprocessor { return RnnToCnn{Format: inputtype.NCW} })
	PreprocessorClasses.Register(preprocessorPackage+"CnnToRnnPreProcessor",
		func() Preprocessor { return CnnToRnn{Format: inputtype.NCW} })
}

// RnnToFeedForward turns the steps of sequences into vectors: [batch, size, time] → [time·batch, size], the first step
// of all examples before the second. A mask [batch, time] becomes [time·batch, 1]. (Deeplearning4j:
// RnnToFeedForwardPreProcessor.)
type RnnToFeedForward struct {
	Format string `dl4j:"rnnDataFormat"`
}

// OutputType is a vector.
func (p RnnToFeedForward) OutputType(in inputtype.Type) (inputtype.Type, error) {
	if err := knownFormat("RnnToFeedForwardPreProcessor", p.Format); err != nil {
		return in, err
	}
	if in.Kind == inputtype.FeedForwardKind {
		return in, nil // already rows, which Deeplearning4j passes on
	}
	if in.Kind != inputtype.RecurrentKind {
		return in, fmt.Errorf("RnnToFeedForwardPreProcessor: takes sequences, got %v", in)
	}
	t := in.As(p.Format)
	return inputtype.Type{Kind: inputtype.FeedForwardKind, Size: t.Size, TimeSteps: t.TimeSteps, Format: p.Format}, nil
}

// Apply reorders.
func (p RnnToFeedForward) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	if in.Kind == inputtype.FeedForwardKind {
		return x, mask
	}
	return stepsOf(b, x, p.Format), maskOfSteps(b, mask)
}

// FeedForwardToRnn combines vectors, which are steps, into sequences: the inverse of RnnToFeedForward. Vectors that
// are not steps become sequences of one step. (Deeplearning4j: FeedForwardToRnnPreProcessor.)
type FeedForwardToRnn struct {
	Format string `dl4j:"rnnDataFormat"`
}

// OutputType is a sequence.
func (p FeedForwardToRnn) OutputType(in inputtype.Type) (inputtype.Type, error) {
	if err := knownFormat("FeedForwardToRnnPreProcessor", p.Format); err != nil {
		return in, err
	}
	if in.Kind != inputtype.FeedForwardKind && in.Kind != inputtype.ConvolutionalFlatKind {
		return in, fmt.Errorf("FeedForwardToRnnPreProcessor: takes vectors, got %v", in)
	}
	return sequenceTypeOf(in, p.Format), nil
}

// Apply reorders.
func (p FeedForwardToRnn) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	return rowsToSequence(b, x, p.Format, batch), maskOfSequence(b, mask, batch)
}

// RnnToCnn turns the steps of sequences into images: [batch, channels·height·width, time] → [time·batch, channels,
// height, width]. (Deeplearning4j: RnnToCnnPreProcessor.)
type RnnToCnn struct {
	Height   int    `dl4j:"inputHeight"`
	Width    int    `dl4j:"inputWidth"`
	Channels int    `dl4j:"numChannels"`
	Format   string `dl4j:"rnnDataFormat"`
}

// OutputType is an image.
func (p RnnToCnn) OutputType(in inputtype.Type) (inputtype.Type, error) {
	if err := knownFormat("RnnToCnnPreProcessor", p.Format); err != nil {
		return in, err
	}
	out := inputtype.Convolutional(p.Height, p.Width, p.Channels)
	t := in.As(p.Format)
	if in.Kind != inputtype.RecurrentKind || t.Size != out.Elements() && t.Size != 0 {
		return in, fmt.Errorf("RnnToCnnPreProcessor: takes sequences of vectors of %d (%v), got %v", out.Elements(), out, in)
	}
	out.TimeSteps, out.Format = t.TimeSteps, p.Format
	return out, nil
}

// Apply reorders.
func (p RnnToCnn) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	rows := stepsOf(b, x, p.Format)
	return b.Reshape(rows, rows.Shape[0], p.Channels, p.Height, p.Width), maskOfSteps(b, mask)
}

// CnnToRnn combines images, which are steps, into sequences: the inverse of RnnToCnn. Images that are not steps become
// sequences of one step. (Deeplearning4j: CnnToRnnPreProcessor.)
type CnnToRnn struct {
	Height   int    `dl4j:"inputHeight"`
	Width    int    `dl4j:"inputWidth"`
	Channels int    `dl4j:"numChannels"`
	Format   string `dl4j:"rnnDataFormat"`
}

// OutputType is a sequence.
func (p CnnToRnn) OutputType(in inputtype.Type) (inputtype.Type, error) {
	if err := knownFormat("CnnToRnnPreProcessor", p.Format); err != nil {
		return in, err
	}
	if want := inputtype.Convolutional(p.Height, p.Width, p.Channels); in.Step() != want {
		return in, fmt.Errorf("CnnToRnnPreProcessor: takes %v, got %v", want, in)
	}
	return sequenceTypeOf(in, p.Format), nil
}

// Apply reorders.
func (p CnnToRnn) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	return rowsToSequence(b, b.Reshape(x, x.Shape[0], in.Elements()), p.Format, batch), maskOfSequence(b, mask, batch)
}

func knownFormat(class, format string) error {
	if format != inputtype.NCW && format != inputtype.NWC {
		return fmt.Errorf("%s: the rnnDataFormat %q is unknown: NCW and NWC are known", class, format)
	}
	return nil
}

// sequenceTypeOf returns the type of sequences whose steps have type in.
func sequenceTypeOf(in inputtype.Type, format string) inputtype.Type {
	steps := in.TimeSteps
	if steps == 0 && in.Format == "" {
		steps = 1
	}
	return inputtype.Type{Kind: inputtype.RecurrentKind, Size: in.Elements(), TimeSteps: steps, Format: format}
}

// stepsOf converts sequences to rows [time·batch, size].
func stepsOf(b *program.Builder, x *program.Value, format string) *program.Value {
	perm := []int{2, 0, 1}
	if format == inputtype.NWC {
		perm = []int{1, 0, 2}
	}
	t := b.Transpose(x, perm...)
	return b.Reshape(t, t.Shape[0]*t.Shape[1], t.Shape[2])
}

// rowsToSequence converts rows [time·batch, size] to sequences.
func rowsToSequence(b *program.Builder, x *program.Value, format string, batch int) *program.Value {
	t := b.Reshape(x, x.Shape[0]/batch, batch, x.Shape[1])
	if format == inputtype.NWC {
		return b.Transpose(t, 1, 0, 2)
	}
	return b.Transpose(t, 1, 2, 0)
}

// maskOfSteps converts [batch, time] to [time·batch, 1].
func maskOfSteps(b *program.Builder, mask *program.Value) *program.Value {
	if mask == nil {
		return nil
	}
	return b.Reshape(b.Transpose(mask, 1, 0), mask.Shape.Size(), 1)
}

// maskOfSequence converts [time·batch, 1] to [batch, time].
func maskOfSequence(b *program.Builder, mask *program.Value, batch int) *program.Value {
	if mask == nil {
		return nil
	}
	return b.Transpose(b.Reshape(mask, mask.Shape.Size()/batch, batch), 1, 0)
}
