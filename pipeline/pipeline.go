package pipeline

import (
	"fmt"
	"reflect"
	"strings"
)

// Pipeline holds the steps from raw columns to others (org.datavec.api.transform.TransformProcess).
type Pipeline struct {
	// Initial holds the input columns.
	Initial Schema
	// Steps run one after the other.
	Steps []Step
}

// Plan is a pipeline that was checked and can run. It is safe for concurrent use: each [Plan.Start] is an independent
// run.
type Plan struct {
	schemas []*Schema // before the first step, and after each
	steps   []Step
	bound   []Bound
}

// StepError is an error of a step, when the pipeline is bound or when it runs.
type StepError struct {
	Step int    // from 1 on
	Name string // of the step's type: "StringToTime"
	Err  error
}

func (e *StepError) Error() string { return fmt.Sprintf("step %d (%s): %v", e.Step, e.Name, e.Err) }

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

// maxColumns bounds the total number of columns after all steps. A small file can ask for many.
const maxColumns = 1 << 23

// Bind checks each step against its input columns.
func (p *Pipeline) Bind() (*Plan, error) {
	if err := p.Initial.Check(); err != nil {
		return nil, fmt.Errorf("the pipeline's columns: %w", err)
	}
	first := p.Initial
	plan := &Plan{schemas: []*Schema{&first}, steps: p.Steps}
	total := 0
	for i, s := range p.Steps {
		b, err := s.Bind(plan.Out())
		if err == nil {
			err = b.Out.Check()
		}
		if err == nil && len(b.Out.Columns) == 0 {
			err = fmt.Errorf("no column is left after it")
		}
		if err == nil {
			if total += len(b.Out.Columns); total > maxColumns {
				err = fmt.Errorf("the steps together have more than %d columns; use fewer steps or columns", maxColumns)
			}
		}
		if err != nil {
			return nil, &StepError{i + 1, stepName(s), err}
		}
		plan.schemas = append(plan.schemas, b.Out)
		plan.bound = append(plan.bound, b)
	}
	return plan, nil
}

// In returns the input columns.
func (p *Plan) In() *Schema { return p.schemas[0] }

// Out returns the output columns.
func (p *Plan) Out() *Schema { return p.schemas[len(p.schemas)-1] }

// Width returns the largest number of columns of any step. Rows with that capacity are never reallocated.
func (p *Plan) Width() int {
	width := 0
	for _, s := range p.schemas {
		width = max(width, len(s.Columns))
	}
	return width
}

// Streams reports whether no step gathers rows. Then the results of a row are emitted as soon as it is pushed.
func (p *Plan) Streams() bool {
	for _, b := range p.bound {
		if _, gathers := b.Run.(Gather); gathers {
			return false
		}
	}
	return true
}

// stepName returns the name of a step's type.
func stepName(s Step) string {
	t := reflect.TypeOf(s)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.TrimSuffix(t.Name(), "Transform")
}
