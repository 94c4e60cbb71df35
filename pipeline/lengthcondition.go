package pipeline

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
)

// LengthCondition compares the number of steps of a sequence (SequenceLengthCondition). InSet and NotInSet use Set,
// all other comparisons use Value. It is for sequences only.
type LengthCondition struct {
	Op    Comparison
	Value int32
	Set   []int32
}

// lengthForm is the format of a LengthCondition in files.
type lengthForm struct {
	Op     Comparison `dl4j:"op"`
	Length *int32     `dl4j:"length,omitnull"`
	Set    []int32    `dl4j:"set,omitnull"`
}

func init() {
	RegisterCondition("org.datavec.api.transform.condition.sequence.SequenceLengthCondition",
		func() Condition { return LengthCondition{} })
}

// Bind fails: a row has no length.
func (c LengthCondition) Bind(*Schema) (func(Row) (bool, error), error) {
	return nil, fmt.Errorf("a SequenceLengthCondition is about sequences: it cannot be asked about a row")
}

// BindSequence checks the comparison.
func (c LengthCondition) BindSequence(*Schema) (func([]Row) (bool, error), error) {
	test, err := comparisonOf(comparing[int32]{Op: c.Op, Value: c.Value, Set: c.Set}, same[int32])
	if err != nil {
		return nil, fmt.Errorf("the condition on the length of sequences: %w", err)
	}
	return func(rows []Row) (bool, error) { return test(int32(min(len(rows), maxLength))), nil }, nil
}

// maxLength is the length of the longest sequence possible in DataVec.
const maxLength = 1<<31 - 1

// MarshalTree returns DataVec's format.
func (c LengthCondition) MarshalTree() (any, error) {
	form := lengthForm{Op: c.Op}
	if c.Op.ofSet() {
		form.Set = c.Set
	} else {
		form.Length = &c.Value
	}
	return dl4j.Members(form)
}

// UnmarshalTree reads DataVec's format.
func (c *LengthCondition) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("a condition is an object")
	}
	var form lengthForm
	if err := dl4j.FromTree(o.Without("@class"), &form); err != nil {
		return err
	}
	*c = LengthCondition{Op: form.Op, Set: form.Set}
	if !form.Op.ofSet() {
		if form.Length == nil {
			return fmt.Errorf("the condition has no length to compare with")
		}
		c.Value = *form.Length
	} else if form.Set == nil {
		return fmt.Errorf("the condition has no set to look in")
	}
	return nil
}
