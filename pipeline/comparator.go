package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/dl4j"
)

// Comparator is the order of a sequence's steps (org.datavec.api.transform.sequence.SequenceComparator):
// [ByNumber] or [ByText].
type Comparator interface {
	// bind returns a function that sorts rows stably.
	bind(in *Schema) (func([]Row) error, error)
}

// ByNumber orders by an Integer, Long, Double or Time column. Steps with equal values keep their order, even in
// descending order.
type ByNumber struct {
	Column    string `dl4j:"columnName"`
	Ascending bool   `dl4j:"ascending"`
}

// ByText orders by a String or Categorical column, in the order of UTF-16 units.
type ByText struct {
	Column string `dl4j:"columnName"`
}

// Order says how [SortedRank] compares values (org.datavec.api.writable.comparator): an [IntegerOrder] or [LongOrder]
// as integers, a [DoubleOrder] or [FloatOrder] as numbers, and a [TextOrder] as texts, by their UTF-8 bytes.
type Order interface{ compare(a, b Value) int }

// The orders of SortedRank; they convert values to the type in their names.
type (
	IntegerOrder struct{}
	LongOrder    struct{}
	DoubleOrder  struct{}
	FloatOrder   struct{}
	TextOrder    struct{}
)

// orderPackage is the package of DataVec's comparators of values.
const orderPackage = "org.datavec.api.writable.comparator."

var (
	comparators = dl4j.NewClasses[Comparator]("sequence comparator")
	orders      = dl4j.NewClasses[Order]("comparator")
)

func init() {
	const pkg = "org.datavec.api.transform.sequence.comparator."
	comparators.Register(pkg+"NumericalColumnComparator", func() Comparator { return ByNumber{Ascending: true} })
	comparators.Register(pkg+"StringComparator", func() Comparator { return ByText{} })
	const writable = orderPackage
	orders.Register(writable+"IntWritableComparator", func() Order { return IntegerOrder{} })
	orders.Register(writable+"LongWritableComparator", func() Order { return LongOrder{} })
	orders.Register(writable+"DoubleWritableComparator", func() Order { return DoubleOrder{} })
	orders.Register(writable+"FloatWritableComparator", func() Order { return FloatOrder{} })
	orders.Register(writable+"TextWritableComparator", func() Order { return TextOrder{} })
}

func (IntegerOrder) compare(a, b Value) int {
	return cmp.Compare(int32(a.integer()), int32(b.integer()))
}
func (LongOrder) compare(a, b Value) int   { return cmp.Compare(a.integer(), b.integer()) }
func (DoubleOrder) compare(a, b Value) int { return compareDoubles(a.real(), b.real()) }
func (FloatOrder) compare(a, b Value) int  { return compareDoubles(a.real(), b.real()) }
func (TextOrder) compare(a, b Value) int   { return strings.Compare(a.text, b.text) }

// orderColumn returns a column that converts values to those that an order compares.
func orderColumn(o Order) (Column, error) {
	switch o.(type) {
	case IntegerOrder:
		return IntegerColumn{}, nil
	case LongOrder:
		return LongColumn{}, nil
	case DoubleOrder:
		return DoubleColumn{}, nil
	case FloatOrder:
		return FloatColumn{}, nil
	case TextOrder:
		return StringColumn{}, nil
	}
	return nil, fmt.Errorf("the comparator is missing; give one, such as %sDoubleWritableComparator", orderPackage)
}

// compareDoubles is Java's order: NaN is above all others, and -0.0 below 0.0.
func compareDoubles(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return cmp.Compare(signOfZero(a), signOfZero(b))
	}
	return cmp.Compare(nan(a), nan(b))
}

func signOfZero(x float64) int {
	if x == 0 && 1/x < 0 {
		return -1
	}
	return 0
}

func nan(x float64) int {
	if x != x {
		return 1
	}
	return 0
}

// compareUTF16 compares like Java's String.compareTo. Only surrogates are ordered differently from UTF-8.
func compareUTF16(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	x, _ := utf8.DecodeRuneInString(a[n:])
	y, _ := utf8.DecodeRuneInString(b[min(n, len(b)):])
	if n < len(a) && n < len(b) && (x > 0xFFFF) != (y > 0xFFFF) {
		if x > 0xFFFF {
			x = 0xD800
		} else {
			y = 0xD800
		}
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}

func (c ByNumber) bind(in *Schema) (func([]Row) error, error) {
	at, err := in.Find(c.Column)
	if err != nil {
		return nil, err
	}
	var order Order = LongOrder{}
	switch in.Columns[at].Type() {
	case DoubleType:
		order = DoubleOrder{}
	case IntegerType, LongType, TimeType:
	default:
		return nil,
			fmt.Errorf("steps cannot be ordered by column %q: it has the type %s, not Integer, Long, Double or Time", c.Column,
				in.Columns[at].Type())
	}
	return sorter(at, in.Columns[at], func(a, b Value) int {
		if c.Ascending {
			return order.compare(a, b)
		}
		return order.compare(b, a)
	}), nil
}

func (c ByText) bind(in *Schema) (func([]Row) error, error) {
	at, err := in.Find(c.Column)
	if err != nil {
		return nil, err
	}
	if t := in.Columns[at].Type(); t != StringType && t != CategoricalType {
		return nil,
			fmt.Errorf("steps cannot be ordered by the text of column %q: it has the type %s, not String or Categorical",
				c.Column, t)
	}
	return sorter(at, StringColumn{Name: c.Column}, func(a, b Value) int {
		return compareUTF16(a.String(), b.String())
	}), nil
}

// sorter sorts rows stably by a column, whose values are first converted to those of another column.
func sorter(at int, as Column, compare func(a, b Value) int) func([]Row) error {
	type keyed struct {
		key Value
		row Row
	}
	return func(rows []Row) error {
		list := make([]keyed, len(rows))
		for i, r := range rows {
			v, err := as.Convert(r[at])
			if err != nil {
				return inColumn(as.Title(), err)
			}
			list[i] = keyed{v, r}
		}
		slices.SortStableFunc(list, func(a, b keyed) int { return compare(a.key, b.key) })
		for i, k := range list {
			rows[i] = k.row
		}
		return nil
	}
}
