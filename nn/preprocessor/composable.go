package preprocessor

import (
	"errors"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"ComposableInputPreProcessor", func() Preprocessor { return Composable{} })
}

// Composable is preprocessors in a row, each on what the one before makes (Deeplearning4j: ComposableInputPreProcessor).
type Composable struct {
	List []Preprocessor `dl4j:"inputPreProcessors"`
}

// OutputType is that of the last.
func (p Composable) OutputType(in inputtype.Type) (inputtype.Type, error) {
	var err error
	for _, of := range p.List {
		if of == nil {
			return in, errors.New("ComposableInputPreProcessor: one of its preprocessors is null")
		}
		if in, err = of.OutputType(in); err != nil {
			return in, err
		}
	}
	return in, nil
}

// Apply applies them in order.
func (p Composable) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type, batch int) (*program.Value, *program.Value) {
	for _, of := range p.List {
		x, mask = of.Apply(b, x, mask, in, batch)
		in, _ = of.OutputType(in)
	}
	return x, mask
}
