package source

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// Answer describes the answers of a model with a pipeline. The columns of an answer depend on the task:
//
//   - Classification: "prediction", the name of the most likely class, and "probability_CLASS" for each class;
//   - Regression: the labels' names, with the predicted numbers;
//   - MultiLabel: the labels' names, with 1 or 0, and "probability_LABEL" for each label.
type Answer struct {
	Task    Task
	Classes []string // of Classification
	Labels  []string
	// PerStep is true if each step of a sequence has an answer.
	PerStep bool `json:",omitempty"`
}

// Answer describes the answers of a model with this pipeline.
func (p *Preparation) Answer() Answer { return Answer{p.Task, p.Classes, p.Labels, p.PerStep} }

// Columns returns the names of the columns of one answer. Only the first one of Classification is a text; all others
// are numbers.
func (a Answer) Columns() []string {
	switch a.Task {
	case Regression:
		return a.Labels
	case MultiLabel:
		return append(append([]string(nil), a.Labels...), probabilities(a.Labels)...)
	}
	return append([]string{"prediction"}, probabilities(a.Classes)...)
}

func probabilities(names []string) []string {
	of := make([]string, len(names))
	for i, name := range names {
		of[i] = "probability_" + name
	}
	return of
}

// Check reports an error if the number of a network's outputs is not the number of the answer's names.
func (a Answer) Check(outputs int) error {
	names := a.Labels
	if a.Task == Classification {
		names = a.Classes
	}
	if outputs != len(names) {
		return fmt.Errorf("the network has %d outputs; the model's labels are %d: %s", outputs, len(names),
			data.ShortList(names))
	}
	return nil
}

// Class returns the name of the most likely class, the first column of Classification, or false for other tasks.
func (a Answer) Class(y []float32) (string, bool) {
	if a.Task != Classification {
		return "", false
	}
	return a.Classes[tensor.Largest(y)], true
}

// AppendNumbers appends the values of the numeric columns, in order. y is the network's output for one example or, with
// PerStep, for one step.
func (a Answer) AppendNumbers(to, y []float32) []float32 {
	if a.Task == MultiLabel {
		for _, p := range y {
			there := float32(0)
			if p >= 0.5 {
				there = 1
			}
			to = append(to, there)
		}
	}
	return append(to, y...)
}
