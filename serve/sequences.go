package serve

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// SequenceAnswer is a model's prediction for a sequence.
type SequenceAnswer struct {
	// Answer is for the whole sequence. It is empty if the model has an answer for each step.
	Answer
	// Steps has an answer for each step, if the model has one for each step. Otherwise it is nil.
	Steps []Answer
}

// PredictSequences returns an answer for each sequence. A sequence is a list of its steps, and each step is a row of
// values by the names of columns: see [Predictor.PredictRows]. Sequences may have different lengths. None is padded:
// only sequences of the same length share a minibatch. So each has the same answer as alone, even if layers ignore
// masks.
func (p *Predictor) PredictSequences(ctx context.Context, sequences ...[]map[string]any) ([]SequenceAnswer, error) {
	examples, err := p.sequenceExamples(sequences)
	if err != nil {
		return nil, err
	}
	all := make([]SequenceAnswer, len(sequences))
	for _, of := range alike(examples.FeatureMask(0), len(sequences)) {
		outputs, err := p.Predict(ctx, unpadded(examples, of))
		if err != nil {
			return nil, exampleOf(err, of)
		}
		if len(outputs) > 1 || len(outputs[0].Shape) != 3 {
			answers, err := p.answers(outputs, len(of))
			if err != nil {
				return nil, err
			}
			for i, a := range answers {
				all[of[i]].Answer = a
			}
			continue
		}
		for i, at := range of {
			steps := stepsOf(outputs[0], i)
			if all[at].Steps, err = p.answers([]*tensor.Dense{steps}, steps.Rows()); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// alike groups examples by their lengths. A mask has zeros behind the last step of each; nil: all have one length.
func alike(mask *tensor.Dense, examples int) (groups [][]int) {
	at := map[int]int{}
	for i := range examples {
		steps := 0
		if mask != nil {
			for _, m := range mask.Slice(i, i+1).Data {
				steps += int(m)
			}
		}
		g, known := at[steps]
		if !known {
			g = len(groups)
			at[steps], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// unpadded are the features of examples that have one length.
func unpadded(m *data.MultiDataSet, examples []int) *tensor.Dense {
	x, mask := m.Features[0], m.FeatureMask(0)
	if mask == nil {
		return x
	}
	steps := 0
	for _, v := range mask.Slice(examples[0], examples[0]+1).Data {
		steps += int(v)
	}
	out := tensor.New(len(examples), x.Shape[1], steps)
	for i, e := range examples {
		for k := range x.Shape[1] {
			copy(out.Data[(i*x.Shape[1]+k)*steps:][:steps], x.Data[(e*x.Shape[1]+k)*x.Shape[2]:])
		}
	}
	return out
}

// exampleOf names the example of all that an error about one of a group means.
func exampleOf(err error, group []int) error {
	if v := (*data.ValueError)(nil); errors.As(err, &v) && v.Example < len(group) {
		v.Example = group[v.Example]
	}
	return err
}

// stepsOf gives the outputs for the steps of an example as rows.
func stepsOf(y *tensor.Dense, example int) *tensor.Dense {
	width, steps := y.Shape[1], y.Shape[2]
	rows := tensor.New(steps, width)
	for s := range steps {
		for k := range width {
			rows.Data[s*width+k] = y.Data[(example*width+k)*steps+s]
		}
	}
	return rows
}

// sequenceExamples makes examples of sequences.
func (p *Predictor) sequenceExamples(sequences [][]map[string]any) (*data.MultiDataSet, error) {
	if inputs := p.net.InputTypes(); len(inputs) == 1 && inputs[0].Format == inputtype.NWC {
		return nil, errors.New("the model takes arrays [sequence, step, column]; give these instead")
	}
	if p.rows != nil {
		return p.rows.SequenceExamples(sequences)
	}
	names := p.Names().Features
	switch {
	case names == nil:
		return nil, errors.New("the model has no names of columns; give arrays instead")
	case !p.TakesSequences():
		return nil, errors.New("the model takes single rows, not sequences; give rows")
	case len(sequences) == 0:
		return nil, errors.New("there are no sequences; give at least one")
	}
	longest, padded := 0, false
	for i, steps := range sequences {
		if len(steps) == 0 {
			return nil, fmt.Errorf("sequence %d: it has no steps; give at least one", i)
		}
		padded = padded || i > 0 && len(steps) != longest
		longest = max(longest, len(steps))
	}
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(len(sequences), len(names), longest)}}
	if padded {
		m.FeatureMasks = []*tensor.Dense{tensor.New(len(sequences), longest)}
	}
	values := make([]float32, len(names))
	for i, steps := range sequences {
		for s, step := range steps {
			if err := p.values(values, step, i, fmt.Sprintf("sequence %d: step %d", i, s)); err != nil {
				return nil, err
			}
			for k, v := range values {
				m.Features[0].Data[(i*len(names)+k)*longest+s] = v
			}
			if padded {
				m.FeatureMasks[0].Data[i*longest+s] = 1
			}
		}
	}
	return m, nil
}
