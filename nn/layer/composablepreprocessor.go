package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	PreprocessorClasses.Register(preprocessorPackage+"ComposableInputPreProcessor",
		func() Preprocessor { return ComposablePreprocessor{} })
}

// ComposablePreprocessor applies several preprocessors in a row (Deeplearning4j: ComposableInputPreProcessor).
type ComposablePreprocessor struct {
	Preprocessors []Preprocessor `dl4j:"inputPreProcessors"`
}

// OutputType is the type of the last preprocessor's output.
func (p ComposablePreprocessor) OutputType(in inputtype.Type) (inputtype.Type, error) {
	for i, q := range p.Preprocessors {
		if q == nil {
			return in, fmt.Errorf("ComposableInputPreProcessor: preprocessor %d is null", i)
		}
		var err error
		if in, err = q.OutputType(in); err != nil {
			return in, fmt.Errorf("ComposableInputPreProcessor: preprocessor %d: %w", i, err)
		}
	}
	return in, nil
}

// Apply applies the preprocessors in order.
func (p ComposablePreprocessor) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	for _, q := range p.Preprocessors {
		x, mask = q.Apply(b, x, mask, in, batch)
		in, _ = q.OutputType(in)
	}
	return x, mask
}
