package pipeline

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
)

// Reduce combines the rows with equal values in the key columns into one row
// (org.datavec.api.transform.reduce.Reducer), in the order of their first rows. Without keys, all rows are one group.
// Key columns are kept; every other column is replaced by the result of one or more operations. Only the data for the
// operations is kept in memory.
type Reduce struct {
	Keys    []string `dl4j:"keyColumns,omitnull"`
	Default ReduceOp `dl4j:"defaultOp"` // for columns that are not named anywhere
	// Ops are the operations of columns.
	Ops dl4j.Map[[]ReduceOp] `dl4j:"opMap"`
	// Conditional has operations, by column, that use only the rows for which a condition holds.
	Conditional dl4j.Map[ConditionalReduction] `dl4j:"conditionalReductions"`
	// Custom has columns of places to reduce to their midpoint.
	Custom dl4j.Map[Midpoint] `dl4j:"customReductions"`
	// IgnoreInvalid lists columns whose invalid values are ignored.
	IgnoreInvalid []string `dl4j:"ignoreInvalidInColumns"`
}

// ConditionalReduction holds operations on the values of rows for which a condition holds, and the names of the
// resulting columns.
type ConditionalReduction struct {
	Column    string     `dl4j:"columnName"`
	Names     []string   `dl4j:"outputNames"`
	Ops       []ReduceOp `dl4j:"reductions"`
	Condition Condition  `dl4j:"condition"`
}

// reducerName is the name of the object around a reducer's settings in JSON, and its class in YAML.
const reducerName = "Reducer"

// reduceForm is Reduce without its methods.
type reduceForm Reduce

// MarshalTree returns DataVec's format.
func (s Reduce) MarshalTree() (any, error) {
	if s.IgnoreInvalid == nil {
		s.IgnoreInvalid = []string{}
	}
	tree, err := dl4j.ToTree(reduceForm(s))
	return dl4j.Object{{Name: reducerName, Value: tree}}, err
}

// UnmarshalTree reads DataVec's format.
func (s *Reduce) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("a reducer is an object with the member %s", reducerName)
	}
	if class, _ := o.Get("@class"); class == reducerName {
		o = o.Without("@class")
	} else if inner, ok := o.Get(reducerName); ok && len(o) == 1 {
		if o, ok = inner.(dl4j.Object); !ok {
			return fmt.Errorf("%s is an object", reducerName)
		}
	}
	return dl4j.FromTree(o, (*reduceForm)(s))
}

// reduced is a column of a reducer's result, or several with one source.
type reduced struct {
	at      int // the source
	name    string
	key     bool
	convert func(Value) (Value, error) // to the operations' kind
	valid   func(Value) bool           // nil: all values count
	holds   func(Row) (bool, error)    // nil: all rows count
	ops     []func() accumulator
	columns []Column
}

// Bind checks the columns and operations.
func (s *Reduce) Bind(in *Schema) (Bound, error) {
	if err := wantRows(in); err != nil {
		return Bound{}, err
	}
	columns, err := s.bind(in)
	if err != nil {
		return Bound{}, err
	}
	return Bound{&Schema{Columns: outColumns(columns)}, Gather(func() Gatherer { return newReducing(columns) })}, nil
}

func outColumns(of []reduced) (columns []Column) {
	for _, c := range of {
		columns = append(columns, c.columns...)
	}
	return columns
}

// bind returns the resulting columns for each column.
func (s *Reduce) bind(in *Schema) ([]reduced, error) {
	if err := s.checkNames(in); err != nil {
		return nil, err
	}
	columns := make([]reduced, len(in.Columns))
	for at, c := range in.Columns {
		var err error
		if columns[at], err = s.bindColumn(in, at, c); err != nil {
			return nil, err
		}
		if slices.Contains(s.IgnoreInvalid, c.Title()) {
			columns[at].valid = Validator(c)
		}
	}
	return columns, nil
}

// checkNames reports names of columns that do not exist.
func (s *Reduce) checkNames(in *Schema) error {
	names := slices.Concat(s.Keys, s.Ops.Names(), s.Conditional.Names(), s.Custom.Names(), s.IgnoreInvalid)
	_, err := in.findAll(names)
	return err
}

func (s *Reduce) bindColumn(in *Schema, at int, c Column) (r reduced, err error) {
	name := c.Title()
	r = reduced{at: at, name: name, convert: c.Convert}
	if slices.Contains(s.Keys, name) {
		r.key, r.columns = true, []Column{c}
		return r, nil
	}
	if m, ok := s.Custom.Get(name); ok {
		err = r.bindMidpoint(c, m)
		return r, err
	}
	if cond, ok := s.Conditional.Get(name); ok {
		if r.holds, err = bindCondition(cond.Condition, in); err != nil {
			return r, err
		}
		err = r.bindOps(c, cond.Ops, cond.Names)
		return r, err
	}
	ops, ok := s.Ops.Get(name)
	if !ok {
		ops = []ReduceOp{s.Default}
	}
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = op.of(name)
	}
	err = r.bindOps(c, ops, names)
	return r, err
}

func (r *reduced) bindOps(c Column, ops []ReduceOp, names []string) error {
	if len(ops) == 0 || len(names) != len(ops) {
		return fmt.Errorf("column %q has %d operations and %d names for what they give; it has to have one name for each",
			c.Title(),
			len(ops), len(names))
	}
	if t := c.Type(); t == StringType || t == CategoricalType {
		r.convert = func(v Value) (Value, error) { return Text(v.String()), nil } // null is a text, too
	}
	for i, op := range ops {
		column, err := op.column(c, names[i])
		if err != nil {
			return err
		}
		r.columns = append(r.columns, column)
		r.ops = append(r.ops, func() accumulator { return newAccumulator(op, c.Type()) })
	}
	return nil
}

func (r *reduced) bindMidpoint(c Column, m Midpoint) error {
	if c.Type() != StringType {
		return fmt.Errorf("column %q has the type %s; places are text", c.Title(), c.Type())
	}
	if m.Delimiter == "" {
		return fmt.Errorf("column %q: the midpoint has no delimiter; give delim, such as \",\"", c.Title())
	}
	name := m.Name
	if name == "" {
		name = "midpoint(" + c.Title() + ")"
	}
	r.columns = []Column{StringColumn{Name: name}}
	r.convert = func(v Value) (Value, error) {
		_, _, err := placeOf(v, m.Delimiter)
		return v, err
	}
	r.ops = []func() accumulator{func() accumulator { return &middle{delimiter: m.Delimiter} }}
	return nil
}
