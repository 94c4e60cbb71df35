package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/registry"
)

// Schema lists the columns of rows, or of the steps of sequences (org.datavec.api.transform.schema.Schema and
// SequenceSchema).
type Schema struct {
	Columns []Column
	// Sequence is true if the data consists of sequences of rows.
	Sequence bool
	// MinLength and MaxLength are the lengths of sequences given in the file; nil if it gives none. They are not
	// enforced.
	MinLength, MaxLength *int
}

// Row is one row: a value for each column.
type Row []Value

// Index returns the position of a column, or -1.
func (s *Schema) Index(name string) int {
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.Title() == name })
}

// Find returns the position of a column. An unknown column is an error that lists the columns, and suggests one.
func (s *Schema) Find(name string) (int, error) {
	if i := s.Index(name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("there is no column %q: the columns are %s%s", name, s.shortNames(),
		registry.SuggestWord(name, s.Names()))
}

// findOf returns the index of a column that has to have a type.
func (s *Schema) findOf(name string, t ColumnType) (int, error) {
	at, err := s.Find(name)
	if err == nil && s.Columns[at].Type() != t {
		err = fmt.Errorf("column %q has the type %s; it has to be %s: convert it before", name, s.Columns[at].Type(), t)
	}
	return at, err
}

// shortNames lists the names of the first columns, for a message.
func (s *Schema) shortNames() string {
	var b strings.Builder
	for i, c := range s.Columns {
		if i == 20 {
			fmt.Fprintf(&b, " and %d more", len(s.Columns)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		name := c.Title()
		if short := []rune(name); len(short) > 60 {
			name = string(short[:60]) + "…"
		}
		if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			name = strconv.Quote(name)
		}
		b.WriteString(name)
	}
	return b.String()
}

// Names returns the columns' names in order.
func (s *Schema) Names() []string {
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.Title()
	}
	return names
}

// With returns a schema for the same kind of data with other columns.
func (s *Schema) With(columns []Column) *Schema {
	c := *s
	c.Columns = columns
	return &c
}

// Check refuses two columns with one name, and invalid regular expressions.
func (s *Schema) Check() error {
	seen := make(map[string]bool, len(s.Columns))
	for _, c := range s.Columns {
		if seen[c.Title()] {
			return fmt.Errorf("two columns are named %q", c.Title())
		}
		seen[c.Title()] = true
		if s, ok := c.(StringColumn); ok && s.Regex != nil {
			if _, err := wholeMatch(*s.Regex); err != nil {
				return inColumn(s.Name, err)
			}
		}
	}
	return nil
}

// The classes of a schema in files.
const (
	schemaClass         = "org.datavec.api.transform.schema.Schema"
	sequenceSchemaClass = "org.datavec.api.transform.schema.SequenceSchema"
)

// rowSchema and sequenceSchema are the formats of a Schema in files.
type rowSchema struct {
	Columns []Column `dl4j:"columns"`
}

type sequenceSchema struct {
	Columns   []Column `dl4j:"columns"`
	MaxLength *int     `dl4j:"maxSequenceLength"`
	MinLength *int     `dl4j:"minSequenceLength"`
}

// MarshalTree returns DataVec's format.
func (s Schema) MarshalTree() (any, error) {
	class, form := schemaClass, any(rowSchema{s.Columns})
	if s.Sequence {
		class, form = sequenceSchemaClass, sequenceSchema{s.Columns, s.MaxLength, s.MinLength}
	}
	tree, err := dl4j.ToTree(form)
	if err != nil {
		return nil, err
	}
	return append(dl4j.Object{{Name: "@class", Value: class}}, tree.(dl4j.Object)...), nil
}

// UnmarshalTree reads DataVec's format.
func (s *Schema) UnmarshalTree(tree any) error {
	o, ok := modern(tree, "initialSchema").(dl4j.Object)
	if !ok {
		return fmt.Errorf("a schema is an object")
	}
	class, _ := o.Get("@class")
	rest := o.Without("@class")
	switch class {
	case sequenceSchemaClass:
		var form sequenceSchema
		if err := dl4j.FromTree(rest, &form); err != nil {
			return err
		}
		*s = Schema{form.Columns, true, form.MinLength, form.MaxLength}
	case schemaClass, nil:
		var form rowSchema
		if err := dl4j.FromTree(rest, &form); err != nil {
			return err
		}
		*s = Schema{Columns: form.Columns}
	default:
		return fmt.Errorf("%q is not a class of a schema: there are %s and %s", class, schemaClass, sequenceSchemaClass)
	}
	return s.Check()
}
