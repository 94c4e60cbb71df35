package pipeline

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
)

// Comparison says how a condition compares (org.datavec.api.transform.condition.ConditionOp).
type Comparison string

// The comparisons. Only Equal, NotEqual, InSet and NotInSet compare texts.
const (
	LessThan       Comparison = "LessThan"
	LessOrEqual    Comparison = "LessOrEqual"
	GreaterThan    Comparison = "GreaterThan"
	GreaterOrEqual Comparison = "GreaterOrEqual"
	Equal          Comparison = "Equal"
	NotEqual       Comparison = "NotEqual"
	InSet          Comparison = "InSet"
	NotInSet       Comparison = "NotInSet"
)

func (c Comparison) ofSet() bool { return c == InSet || c == NotInSet }

// IntegerCondition compares a 32-bit integer (IntegerColumnCondition). InSet and NotInSet use Set, all other
// comparisons use Value.
type IntegerCondition struct {
	Column string
	Op     Comparison
	Value  int32
	Set    []int32
	Mode   SequenceMode
}

// LongCondition compares a 64-bit integer (LongColumnCondition), like [IntegerCondition].
type LongCondition struct {
	Column string
	Op     Comparison
	Value  int64
	Set    []int64
	Mode   SequenceMode
}

// TimeCondition compares an instant (TimeColumnCondition), in milliseconds since 1970 in UTC, like [IntegerCondition].
type TimeCondition struct {
	Column string
	Op     Comparison
	Value  int64
	Set    []int64
	Mode   SequenceMode
}

// DoubleCondition compares a number (DoubleColumnCondition), like [IntegerCondition]. For NaN, only NotEqual holds.
// Like Java, InSet finds NaN in a set with NaN, and distinguishes 0.0 from -0.0.
type DoubleCondition struct {
	Column string
	Op     Comparison
	Value  float64
	Set    []float64
	Mode   SequenceMode
}

// FloatCondition compares a 32-bit number (FloatColumnCondition), like [DoubleCondition].
type FloatCondition struct {
	Column string
	Op     Comparison
	Value  float32
	Set    []float32
	Mode   SequenceMode
}

// StringCondition compares a text (StringColumnCondition) with Equal, NotEqual, InSet or NotInSet. Null counts as the
// text "NullWritable".
type StringCondition struct {
	Column string
	Op     Comparison
	Value  string
	Set    []string
	Mode   SequenceMode
}

// CategoricalCondition compares a category (CategoricalColumnCondition), like [StringCondition].
type CategoricalCondition struct {
	Column string
	Op     Comparison
	Value  string
	Set    []string
	Mode   SequenceMode
}

// The conditions differ in their types only.
type (
	comparing[T any] struct {
		Column string
		Op     Comparison
		Value  T
		Set    []T
		Mode   SequenceMode
	}
	// comparingForm is the form of files, which have a value or a set. DataVec neither writes nor reads the mode.
	comparingForm[T any] struct {
		Column string       `dl4j:"columnName,creator"`
		Op     Comparison   `dl4j:"op"`
		Value  *T           `dl4j:"value,omitnull"`
		Set    []T          `dl4j:"set,omitnull"`
		Mode   SequenceMode `dl4j:"sequenceMode,omitnull,zeronull"`
	}
)

func init() {
	const pkg = "org.datavec.api.transform.condition.column."
	RegisterCondition(pkg+"IntegerColumnCondition", func() Condition { return IntegerCondition{} })
	RegisterCondition(pkg+"LongColumnCondition", func() Condition { return LongCondition{} })
	RegisterCondition(pkg+"TimeColumnCondition", func() Condition { return TimeCondition{} })
	RegisterCondition(pkg+"DoubleColumnCondition", func() Condition { return DoubleCondition{} })
	RegisterCondition(pkg+"FloatColumnCondition", func() Condition { return FloatCondition{} })
	RegisterCondition(pkg+"StringColumnCondition", func() Condition { return StringCondition{} })
	RegisterCondition(pkg+"CategoricalColumnCondition", func() Condition { return CategoricalCondition{} })
}

func (c comparing[T]) tree() (any, error) {
	form := comparingForm[T]{Column: c.Column, Op: c.Op, Mode: c.Mode}
	if c.Op.ofSet() {
		form.Set = c.Set
	} else {
		form.Value = &c.Value
	}
	return dl4j.Members(form)
}

func (c *comparing[T]) read(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("a condition is an object")
	}
	var form comparingForm[T]
	if err := dl4j.FromTree(o.Without("@class"), &form); err != nil {
		return err
	}
	*c = comparing[T]{Column: form.Column, Op: form.Op, Set: form.Set, Mode: form.Mode}
	switch {
	case form.Value != nil:
		c.Value = *form.Value
	case !form.Op.ofSet():
		return fmt.Errorf("the condition has no value to compare with")
	}
	if form.Op.ofSet() && form.Set == nil {
		return fmt.Errorf("the condition has no set to look in")
	}
	return nil
}

// number is a type of numbers in columns.
type number interface {
	int32 | int64 | float32 | float64
}

// bindNumbers binds a comparison of numbers. of converts a value; key is equal for numbers that are equal in a Java
// set.
func bindNumbers[T number, K comparable](c comparing[T], in *Schema,
	of func(Value) (T, error), key func(T) K) (*cellTest, error) {
	at, err := in.Find(c.Column)
	if err != nil {
		return nil, err
	}
	test, err := comparisonOf(c, key)
	if err != nil {
		return nil, fmt.Errorf("the condition on column %q: %w", c.Column, err)
	}
	between := betweenNumbers(of, func(low, high T) answers { return answersBetween(c, test, low, high) })
	return &cellTest{at: at, between: between, test: func(v Value) (bool, error) {
		x, err := of(v)
		if err != nil {
			return false, inColumn(c.Column, err)
		}
		return test(x), nil
	}}, nil
}

// inColumn adds the column's name to an error.
func inColumn(name string, err error) error { return fmt.Errorf("column %q: %w", name, err) }

func comparisonOf[T number, K comparable](c comparing[T], key func(T) K) (func(T) bool, error) {
	value := c.Value
	switch c.Op {
	case LessThan:
		return func(x T) bool { return x < value }, nil
	case LessOrEqual:
		return func(x T) bool { return x <= value }, nil
	case GreaterThan:
		return func(x T) bool { return x > value }, nil
	case GreaterOrEqual:
		return func(x T) bool { return x >= value }, nil
	case Equal:
		return func(x T) bool { return x == value }, nil
	case NotEqual:
		return func(x T) bool { return x != value }, nil
	case InSet, NotInSet:
		set := make(map[K]bool, len(c.Set))
		for _, x := range c.Set {
			set[key(x)] = true
		}
		in := c.Op == InSet
		return func(x T) bool { return set[key(x)] == in }, nil
	}
	return nil, fmt.Errorf("%q is not a comparison: there are LessThan, LessOrEqual, GreaterThan, GreaterOrEqual, Equal, "+
		"NotEqual, InSet and NotInSet", string(c.Op))
}

// bindTexts binds a comparison of texts.
func bindTexts(c comparing[string], in *Schema) (*cellTest, error) {
	at, err := in.Find(c.Column)
	if err != nil {
		return nil, err
	}
	set := c.Set
	switch c.Op {
	case Equal, NotEqual:
		set = []string{c.Value}
	case InSet, NotInSet:
	default:
		return nil, fmt.Errorf("the condition on column %q has the comparison %q: "+
			"texts have Equal, NotEqual, InSet and NotInSet", c.Column, string(c.Op))
	}
	within, table := c.Op == Equal || c.Op == InSet, newTextTable(set)
	text := func(s string) bool { return table.find(s) >= 0 == within }
	test := func(v Value) (bool, error) { return table.has(v) == within, nil }
	return &cellTest{at: at, text: text, set: table, not: !within, test: test,
		between: betweenTexts(set, within)}, nil
}

func same[T any](x T) T { return x }

// javaBits returns equal bits for numbers that Java's Double.equals considers equal.
func javaBits(x float64) uint64 {
	if x != x {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(x)
}

func javaBits32(x float32) uint64 { return javaBits(float64(x)) }
