package pipeline

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
)

// Column is a column of a [Schema]: its name, its type and its allowed values (org.datavec.api.transform.metadata).
// The types are [StringColumn], [IntegerColumn], [LongColumn], [DoubleColumn], [FloatColumn], [CategoricalColumn],
// [TimeColumn], [BooleanColumn], [BinaryColumn] and [ArrayColumn].
type Column interface {
	// Title returns the column's name.
	Title() string
	// Renamed returns the column under another name.
	Renamed(name string) Column
	// Type returns the column's type.
	Type() ColumnType
	// Valid reports whether the column allows this value. A column may allow texts that it can convert: an Integer column
	// allows "12".
	Valid(v Value) bool
	// Convert returns the value in the column's own kind: an Integer for the text "12".
	Convert(v Value) (Value, error)
	column()
}

// ColumnType is the type of a column (org.datavec.api.transform.ColumnType).
type ColumnType string

// The types of columns, by DataVec's names in files.
const (
	StringType      ColumnType = "String"
	IntegerType     ColumnType = "Integer"
	LongType        ColumnType = "Long"
	DoubleType      ColumnType = "Double"
	FloatType       ColumnType = "Float"
	CategoricalType ColumnType = "Categorical"
	TimeType        ColumnType = "Time"
	BytesType       ColumnType = "Bytes"
	BooleanType     ColumnType = "Boolean"
	ArrayType       ColumnType = "NDArray"
)

// columns maps the classes of columns in files, for the tables of package dl4j.
var columns = dl4j.NewClasses[Column]("column")

func init() {
	const pkg = "org.datavec.api.transform.metadata."
	columns.Register(pkg+"StringMetaData", func() Column { return StringColumn{} })
	columns.Register(pkg+"IntegerMetaData", func() Column { return IntegerColumn{} })
	columns.Register(pkg+"LongMetaData", func() Column { return LongColumn{} })
	columns.Register(pkg+"DoubleMetaData", func() Column { return DoubleColumn{} })
	columns.Register(pkg+"FloatMetaData", func() Column { return FloatColumn{} })
	columns.Register(pkg+"CategoricalMetaData", func() Column { return CategoricalColumn{} })
	columns.Register(pkg+"TimeMetaData", func() Column { return TimeColumn{} })
	columns.Register(pkg+"BooleanMetaData", func() Column { return BooleanColumn{} })
	columns.Register(pkg+"BinaryMetaData", func() Column { return BinaryColumn{} })
	columns.Register(pkg+"NDArrayMetaData", func() Column { return ArrayColumn{} })
}

// StringColumn holds texts. Limits are inclusive; nil means none.
type StringColumn struct {
	Name      string  `dl4j:"name,creator"`
	Regex     *string `dl4j:"regex,omitnull"`     // the whole text has to match
	MinLength *int    `dl4j:"minLength,omitnull"` // in UTF-16 units
	MaxLength *int    `dl4j:"maxLength,omitnull"`
}

// IntegerColumn holds 32-bit integers. Limits are inclusive; nil means none.
type IntegerColumn struct {
	Name string `dl4j:"name,creator"`
	Min  *int32 `dl4j:"minAllowedValue,omitnull"`
	Max  *int32 `dl4j:"maxAllowedValue,omitnull"`
}

// LongColumn holds 64-bit integers. Limits are inclusive; nil means none.
type LongColumn struct {
	Name string `dl4j:"name,creator"`
	Min  *int64 `dl4j:"minAllowedValue,omitnull"`
	Max  *int64 `dl4j:"maxAllowedValue,omitnull"`
}

// DoubleColumn holds 64-bit numbers. Limits are inclusive; nil means none.
type DoubleColumn struct {
	Name          string   `dl4j:"name,creator"`
	Min           *float64 `dl4j:"minAllowedValue,omitnull"`
	Max           *float64 `dl4j:"maxAllowedValue,omitnull"`
	AllowNaN      bool     `dl4j:"allowNaN"`
	AllowInfinite bool     `dl4j:"allowInfinite"`
}

// FloatColumn holds 32-bit numbers. Limits are inclusive; nil means none.
type FloatColumn struct {
	Name          string   `dl4j:"name,creator"`
	Min           *float32 `dl4j:"minAllowedValue,omitnull"`
	Max           *float32 `dl4j:"maxAllowedValue,omitnull"`
	AllowNaN      bool     `dl4j:"allowNaN"`
	AllowInfinite bool     `dl4j:"allowInfinite"`
}

// CategoricalColumn holds one of a few texts.
type CategoricalColumn struct {
	Name   string   `dl4j:"name,creator"`
	States []string `dl4j:"stateNames"`
}

// TimeColumn holds instants as milliseconds since 1970 in UTC. Zone is the time zone in which they are printed and
// split into fields, by its name in the tz database. Limits are inclusive; nil means none.
type TimeColumn struct {
	Name string `dl4j:"name,creator"`
	Zone string `dl4j:"timeZone"`
	Min  *int64 `dl4j:"minValidTime,omitnull"`
	Max  *int64 `dl4j:"maxValidTime,omitnull"`
}

// BooleanColumn holds true or false.
type BooleanColumn struct {
	Name string `dl4j:"name,creator"`
}

// BinaryColumn holds bytes.
type BinaryColumn struct {
	Name string `dl4j:"name,creator"`
}

// ArrayColumn holds arrays of one shape. A negative extent allows any.
type ArrayColumn struct {
	Name  string  `dl4j:"name,creator"`
	Shape []int64 `dl4j:"shape"`
}

func (c StringColumn) Title() string      { return c.Name }
func (c IntegerColumn) Title() string     { return c.Name }
func (c LongColumn) Title() string        { return c.Name }
func (c DoubleColumn) Title() string      { return c.Name }
func (c FloatColumn) Title() string       { return c.Name }
func (c CategoricalColumn) Title() string { return c.Name }
func (c TimeColumn) Title() string        { return c.Name }
func (c BooleanColumn) Title() string     { return c.Name }
func (c BinaryColumn) Title() string      { return c.Name }
func (c ArrayColumn) Title() string       { return c.Name }

func (c StringColumn) Renamed(name string) Column      { c.Name = name; return c }
func (c IntegerColumn) Renamed(name string) Column     { c.Name = name; return c }
func (c LongColumn) Renamed(name string) Column        { c.Name = name; return c }
func (c DoubleColumn) Renamed(name string) Column      { c.Name = name; return c }
func (c FloatColumn) Renamed(name string) Column       { c.Name = name; return c }
func (c CategoricalColumn) Renamed(name string) Column { c.Name = name; return c }
func (c TimeColumn) Renamed(name string) Column        { c.Name = name; return c }
func (c BooleanColumn) Renamed(name string) Column     { c.Name = name; return c }
func (c BinaryColumn) Renamed(name string) Column      { c.Name = name; return c }
func (c ArrayColumn) Renamed(name string) Column       { c.Name = name; return c }

func (StringColumn) Type() ColumnType      { return StringType }
func (IntegerColumn) Type() ColumnType     { return IntegerType }
func (LongColumn) Type() ColumnType        { return LongType }
func (DoubleColumn) Type() ColumnType      { return DoubleType }
func (FloatColumn) Type() ColumnType       { return FloatType }
func (CategoricalColumn) Type() ColumnType { return CategoricalType }
func (TimeColumn) Type() ColumnType        { return TimeType }
func (BooleanColumn) Type() ColumnType     { return BooleanType }
func (BinaryColumn) Type() ColumnType      { return BytesType }
func (ArrayColumn) Type() ColumnType       { return ArrayType }

func (StringColumn) column()      {}
func (IntegerColumn) column()     {}
func (LongColumn) column()        {}
func (DoubleColumn) column()      {}
func (FloatColumn) column()       {}
func (CategoricalColumn) column() {}
func (TimeColumn) column()        {}
func (BooleanColumn) column()     {}
func (BinaryColumn) column()      {}
func (ArrayColumn) column()       {}

// NewColumn makes a column of a type without limits. It refuses Categorical and NDArray columns, which need more
// settings.
func NewColumn(name string, t ColumnType) (Column, error) {
	switch t {
	case StringType:
		return StringColumn{Name: name}, nil
	case IntegerType:
		return IntegerColumn{Name: name}, nil
	case LongType:
		return LongColumn{Name: name}, nil
	case DoubleType:
		return DoubleColumn{Name: name}, nil
	case FloatType:
		return FloatColumn{Name: name}, nil
	case TimeType:
		return TimeColumn{Name: name, Zone: "UTC"}, nil
	case BooleanType:
		return BooleanColumn{Name: name}, nil
	case BytesType:
		return BinaryColumn{Name: name}, nil
	}
	return nil, fmt.Errorf("column %q: there is no column of type %s without settings of its own", name, t)
}
