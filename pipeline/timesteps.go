package pipeline

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/joda"
)

// TimeMath changes times by a span of time (time.TimeMathOpTransform). It supports Add, Subtract, and ScalarMin and
// ScalarMax, which compare with the quantity as a time in milliseconds. The column's limits are dropped.
type TimeMath struct {
	Column   string   `dl4j:"columnName"`
	Op       MathOp   `dl4j:"mathOp"`
	Quantity int64    `dl4j:"timeQuantity"`
	Unit     TimeUnit `dl4j:"timeUnit"`
}

// DeriveFromTime adds columns with parts of a time (time.DeriveColumnsFromTimeTransform). Integer parts are in the
// zone of the time's column.
type DeriveFromTime struct {
	Column string `dl4j:"columnName"`
	// After is the column after which the new ones are inserted; empty means Column.
	After   string     `dl4j:"insertAfter,omitnull,zeronull"`
	Columns []TimePart `dl4j:"derivedColumns"`
}

// TimePart is a column of [DeriveFromTime].
type TimePart struct {
	Name string `dl4j:"columnName"`
	// Type is IntegerType for a field, and StringType for a format.
	Type ColumnType `dl4j:"columnType"`
	// Field is Joda-Time's name of a field: "hourOfDay".
	Field *TimeField `dl4j:"fieldType,omitnull"`
	// Format is a pattern of Joda-Time, and Zone the time zone for formatting.
	Format string `dl4j:"format,omitnull,zeronull"`
	Zone   string `dl4j:"dateTimeZone,omitnull,zeronull"`
}

// TimeField names a field of a time. docs/pipeline.md lists them.
type TimeField struct {
	Name string `dl4j:"fieldType"`
}

func init() {
	RegisterTransform(timeTransforms+"TimeMathOpTransform", func() Transform { return TimeMath{} })
	RegisterTransform(timeTransforms+"DeriveColumnsFromTimeTransform", func() Transform { return DeriveFromTime{} })
}

// findTime finds a Time column.
func findTime(in *Schema, name string) (int, TimeColumn, error) {
	at, err := in.Find(name)
	if err != nil {
		return 0, TimeColumn{}, err
	}
	c, ok := in.Columns[at].(TimeColumn)
	if !ok {
		return 0, c, fmt.Errorf("column %q has the type %s; it has to be Time: parse it with StringToTimeTransform", name,
			in.Columns[at].Type())
	}
	return at, c, nil
}

// Bind checks the operation and the unit.
func (s TimeMath) Bind(in *Schema) (Bound, error) {
	at, c, err := findTime(in, s.Column)
	if err != nil {
		return Bound{}, err
	}
	span, err := s.Unit.millis(s.Quantity)
	if err != nil {
		return Bound{}, err
	}
	var op func(t int64) int64
	switch s.Op {
	case Add:
		op = func(t int64) int64 { return t + span }
	case Subtract:
		op = func(t int64) int64 { return t - span }
	case ScalarMin:
		op = func(t int64) int64 { return min(t, span) }
	case ScalarMax:
		op = func(t int64) int64 { return max(t, span) }
	default:
		return Bound{}, fmt.Errorf("mathOp %q is not for times: there are Add, Subtract, ScalarMin and ScalarMax",
			string(s.Op))
	}
	if (s.Op == ScalarMin || s.Op == ScalarMax) && s.Unit != Milliseconds {
		return Bound{}, fmt.Errorf("%s compares with a time: its unit has to be MILLISECONDS, not %s", s.Op, s.Unit)
	}
	columns := append([]Column(nil), in.Columns...)
	columns[at] = TimeColumn{Name: s.Column, Zone: c.Zone}
	do := func(v Value) (Value, error) {
		t, err := v.Long()
		return Long(op(t)), err
	}
	return Bound{in.With(columns), &cellMap{at: at, name: s.Column, do: do, gives: LongKind}}, nil
}

// Bind checks the columns, fields, patterns and zones.
func (s DeriveFromTime) Bind(in *Schema) (Bound, error) {
	at, c, err := findTime(in, s.Column)
	if err != nil {
		return Bound{}, err
	}
	after := at
	if s.After != "" {
		if after, err = in.Find(s.After); err != nil {
			return Bound{}, err
		}
	}
	columns := append([]Column(nil), in.Columns[:after+1]...)
	do := &derived{at: at}
	for _, p := range s.Columns {
		column, part, err := p.bind(c)
		if err != nil {
			return Bound{}, fmt.Errorf("derived column %q: %w", p.Name, err)
		}
		columns, do.parts = append(columns, column), append(do.parts, part)
	}
	columns = append(columns, in.Columns[after+1:]...)
	do.after, do.name = after, s.Column
	return Bound{in.With(columns), do}, nil
}

func (p TimePart) bind(c TimeColumn) (Column, timePart, error) {
	switch p.Type {
	case IntegerType:
		if p.Field == nil {
			return nil, timePart{}, fmt.Errorf("it has no fieldType; give one, such as hourOfDay")
		}
		field, err := joda.FieldNamed(p.Field.Name)
		if err != nil {
			return nil, timePart{}, err
		}
		zone, err := joda.Zone(c.Zone)
		return IntegerColumn{Name: p.Name}, timePart{field: field, zone: zone}, err
	case StringType:
		zone, err := joda.Zone(p.Zone)
		if err != nil {
			return nil, timePart{}, err
		}
		pattern, err := compileToPrint(p.Format)
		return StringColumn{Name: p.Name}, timePart{text: func(t int64) string { return pattern.Format(t, zone) }}, err
	}
	return nil, timePart{}, fmt.Errorf("it has the type %s; it has to be Integer or String", p.Type)
}
