package pipeline

import (
	"fmt"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
)

// IntegerMapping maps integers to the names of categories, in order.
type IntegerMapping []IntegerState

// IntegerState is an entry of an [IntegerMapping].
type IntegerState struct {
	Integer int32
	State   string
}

// StringMapping maps texts to replacements, in order.
type StringMapping []StringReplacement

// StringReplacement is an entry of a [StringMapping].
type StringReplacement struct{ From, To string }

// MarshalTree returns an object with the integers as names.
func (m IntegerMapping) MarshalTree() (any, error) {
	o := make(dl4j.Object, len(m))
	for i, e := range m {
		o[i] = dl4j.Member{Name: strconv.Itoa(int(e.Integer)), Value: e.State}
	}
	return o, nil
}

// UnmarshalTree reads an object.
func (m *IntegerMapping) UnmarshalTree(tree any) error {
	*m = IntegerMapping{}
	return readEntries(tree, func(name, value string) error {
		n, err := strconv.ParseInt(name, 10, 32)
		if err != nil {
			return fmt.Errorf("%.60q is not an integer of 32 bits", name)
		}
		*m = append(*m, IntegerState{int32(n), value})
		return nil
	})
}

// MarshalTree returns an object.
func (m StringMapping) MarshalTree() (any, error) {
	o := make(dl4j.Object, len(m))
	for i, e := range m {
		o[i] = dl4j.Member{Name: e.From, Value: e.To}
	}
	return o, nil
}

// UnmarshalTree reads an object.
func (m *StringMapping) UnmarshalTree(tree any) error {
	*m = StringMapping{}
	return readEntries(tree, func(name, value string) error {
		*m = append(*m, StringReplacement{name, value})
		return nil
	})
}

func readEntries(tree any, entry func(name, value string) error) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("an object with the entries should be here")
	}
	for _, m := range o {
		value, ok := m.Value.(string)
		if !ok {
			return fmt.Errorf("the entry %.60q has no text as its value", m.Name)
		}
		if err := entry(m.Name, value); err != nil {
			return err
		}
	}
	return nil
}
