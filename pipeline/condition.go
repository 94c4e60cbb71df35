package pipeline

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
)

// Condition is a condition on a row (org.datavec.api.transform.condition.Condition). Filters, conditional transforms
// and conditional reductions use it. Modules add their own with [RegisterCondition].
type Condition interface {
	// Bind checks the condition against the columns, and returns the function that evaluates it for a row. The
	// function is safe for concurrent use and does not change the row.
	Bind(in *Schema) (func(Row) (bool, error), error)
}

// SequenceCondition is a Condition that is evaluated for whole sequences. Any other condition holds for a sequence if
// it holds for one of its steps.
type SequenceCondition interface {
	Condition
	// BindSequence is Bind for whole sequences.
	BindSequence(in *Schema) (func([]Row) (bool, error), error)
}

var conditions = dl4j.NewClasses[Condition]("condition")

// RegisterCondition registers a condition under its class name in files, like [RegisterTransform] for transforms.
func RegisterCondition(class string, constructor func() Condition) {
	conditions.Register(class, constructor)
}

// bindCondition binds a condition, which may be missing.
func bindCondition(c Condition, in *Schema) (func(Row) (bool, error), error) {
	if c == nil {
		return nil, fmt.Errorf("there is no condition; set one")
	}
	return c.Bind(in)
}

// bindSequence binds a condition to whole sequences.
func bindSequence(c Condition, in *Schema) (func([]Row) (bool, error), error) {
	if c == nil {
		return nil, fmt.Errorf("there is no condition; set one")
	}
	if s, ok := c.(SequenceCondition); ok {
		return s.BindSequence(in)
	}
	holds, err := c.Bind(in)
	return anyStep(holds), err
}

// anyStep tests the steps of a sequence until one passes.
func anyStep(holds func(Row) (bool, error)) func([]Row) (bool, error) {
	return func(rows []Row) (bool, error) {
		for _, r := range rows {
			if yes, err := holds(r); yes || err != nil {
				return yes, err
			}
		}
		return false, nil
	}
}

// everyStep tests the steps of a sequence until one fails.
func everyStep(holds func(Row) (bool, error)) func([]Row) (bool, error) {
	return func(rows []Row) (bool, error) {
		for _, r := range rows {
			if yes, err := holds(r); !yes || err != nil {
				return false, err
			}
		}
		return true, nil
	}
}

// SequenceMode says when a condition on a column holds for a whole sequence.
type SequenceMode string

// The modes. The empty one is OrMode.
const (
	OrMode         SequenceMode = "Or"             // if it holds for a step
	AndMode        SequenceMode = "And"            // if it holds for all steps
	NoSequenceMode SequenceMode = "NoSequenceMode" // never: the condition is for rows only
)

// bind turns a condition on steps into one on sequences.
func (m SequenceMode) bind(holds func(Row) (bool, error)) (func([]Row) (bool, error), error) {
	switch m {
	case "", OrMode:
		return anyStep(holds), nil
	case AndMode:
		return everyStep(holds), nil
	case NoSequenceMode:
		return nil, fmt.Errorf("the condition has the mode NoSequenceMode: it is not for sequences")
	}
	return nil, fmt.Errorf("%q is not a mode of a condition: there are Or, And and NoSequenceMode", string(m))
}

// Logic says how a [BooleanCondition] combines its conditions.
type Logic string

// The types of a BooleanCondition.
const (
	And Logic = "AND" // all of two or more
	Or  Logic = "OR"  // one of two or more
	Not Logic = "NOT" // the opposite of one
	Xor Logic = "XOR" // exactly one of two
)

// BooleanCondition combines conditions (condition.BooleanCondition). AND and OR only evaluate as many as they need. On
// sequences it combines the results for the whole sequence.
type BooleanCondition struct {
	Type       Logic       `dl4j:"type"`
	Conditions []Condition `dl4j:"conditions"`
}

func init() {
	RegisterCondition("org.datavec.api.transform.condition.BooleanCondition",
		func() Condition { return BooleanCondition{} })
}

func (c BooleanCondition) check() error {
	n, want := len(c.Conditions), ""
	switch c.Type {
	case And, Or:
		if n == 0 {
			want = "at least one condition"
		}
	case Not:
		if n != 1 {
			want = "one condition"
		}
	case Xor:
		if n != 2 {
			want = "two conditions"
		}
	default:
		return fmt.Errorf("%q is not a type of a BooleanCondition: there are AND, OR, NOT and XOR", string(c.Type))
	}
	if want != "" {
		return fmt.Errorf("a BooleanCondition of type %s has %s, not %d", c.Type, want, n)
	}
	return nil
}

// Bind binds all conditions to rows.
func (c BooleanCondition) Bind(in *Schema) (func(Row) (bool, error), error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return combined(c.Type, c.Conditions, in, bindCondition)
}

// BindSequence binds all conditions to sequences.
func (c BooleanCondition) BindSequence(in *Schema) (func([]Row) (bool, error), error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return combined(c.Type, c.Conditions, in, bindSequence)
}

// combined binds conditions to rows or sequences, and combines them.
func combined[T any](t Logic, of []Condition, in *Schema,
	bind func(Condition, *Schema) (func(T) (bool, error), error)) (func(T) (bool, error), error) {
	bound := make([]func(T) (bool, error), len(of))
	for i, c := range of {
		var err error
		if bound[i], err = bind(c, in); err != nil {
			return nil, err
		}
	}
	switch t {
	case Not:
		return func(x T) (bool, error) {
			yes, err := bound[0](x)
			return !yes && err == nil, err
		}, nil
	case Xor:
		return func(x T) (bool, error) {
			a, err := bound[0](x)
			if err != nil {
				return false, err
			}
			b, err := bound[1](x)
			return a != b && err == nil, err
		}, nil
	}
	return func(x T) (bool, error) { // AND stops at the first false, OR at the first true
		for _, holds := range bound {
			if yes, err := holds(x); err != nil || yes == (t == Or) {
				return yes && err == nil, err
			}
		}
		return t == And, nil
	}, nil
}
