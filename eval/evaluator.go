// Package eval measures predictions against labels. It has Deeplearning4j's evaluations, with the same figures, printed
// statistics and JSON.
//
// An evaluation is a sum over examples. Workers therefore evaluate partitions of the data, and [Evaluator.Merge] adds
// up the results.
package eval

import (
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

// Evaluator compares predictions with labels (Deeplearning4j's IEvaluation). It is not safe for concurrent use: each
// worker has its own, made by New, and they are merged. An Evaluator may have a method Empty() bool: see [Empty].
type Evaluator interface {
	// Eval adds a minibatch. Labels and predictions have the same shape: [batch, size], [batch, size, time] or [batch,
	// channels, height, width]. mask may be nil. Where it is 0, it leaves out examples ([batch] or [batch, 1]),
	// positions (the shape of the labels without the dimension of the classes, or with 1 there), or, for evaluations
	// that allow it, single outputs (the shape of the labels). A mask that leaves out everything is not an error: see
	// [Empty]. If Eval fails with an *InputError, it has added nothing.
	Eval(labels, predictions, mask *tensor.Dense) error
	// Merge adds the data of other. It fails with a *[MergeError] if other has another type or other settings.
	Merge(other Evaluator) error
	// New returns an empty evaluation with the same settings.
	New() Evaluator
	// Stats returns the report that Deeplearning4j prints.
	Stats() string
}

// Classes is the table of evaluations and their Java classes. Register your own there.
var Classes = dl4j.NewClasses[Evaluator]("evaluation")

// Marshal returns Deeplearning4j's JSON of e.
func Marshal(e Evaluator) ([]byte, error) {
	if e == nil {
		return nil, errors.New("there is no evaluation: it is nil")
	}
	return dl4j.Marshal(&e)
}

// Write writes the text of [Marshal], and keeps only a little of it in memory. It writes each string in one piece.
func Write(w io.Writer, e Evaluator) error {
	if e == nil {
		return errors.New("there is no evaluation: it is nil")
	}
	return dl4j.Write(w, &e)
}

// Unmarshal reads an evaluation of any class. Errors are *dl4j.FormatErrors.
func Unmarshal(text []byte) (Evaluator, error) {
	var e Evaluator
	if err := dl4j.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	if e == nil {
		return nil, &dl4j.FormatError{Offset: -1, Err: fmt.Errorf("null is not an evaluation")}
	}
	return e, nil
}

// InputError means that labels and predictions do not fit each other or the evaluation.
type InputError struct {
	Evaluation                string       // the class, such as "ROCBinary"
	Labels, Predictions, Mask tensor.Shape // Mask is nil without a mask
	Reason                    string
}

func (e *InputError) Error() string {
	s := fmt.Sprintf("labels %v and predictions %v", e.Labels, e.Predictions)
	if e.Mask != nil {
		s += fmt.Sprintf(" with the mask %v", e.Mask)
	}
	return s + " cannot be evaluated by " + e.Evaluation + ": " + e.Reason
}

// MergeError means that two evaluations cannot be merged.
type MergeError struct{ Reason string }

func (e *MergeError) Error() string { return "evaluations cannot be merged: " + e.Reason }

// MergeAll merges each evaluation of from into the one at the same index of into.
func MergeAll(into, from []Evaluator) error {
	for i, e := range from {
		if err := into[i].Merge(e); err != nil {
			return err
		}
	}
	return nil
}
