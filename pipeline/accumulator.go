package pipeline

import (
	"math"
	"math/big"
	"strings"
)

// accumulator combines the values of one column in a group by one operation.
type accumulator interface {
	// add adds a value, which is of the column's own kind.
	add(v Value)
	result() Value
}

// newAccumulator makes an accumulator for a column of a type.
func newAccumulator(op ReduceOp, t ColumnType) accumulator {
	switch op {
	case Min:
		return &extreme{sign: -1}
	case Max:
		return &extreme{sign: 1}
	case Range:
		return &spread{low: extreme{sign: -1}, high: extreme{sign: 1}, of: t}
	case Append:
		return &texts{}
	case Prepend:
		return &texts{backwards: true}
	case Count:
		return &count{}
	case CountUnique:
		return &unique{seen: make(map[string]struct{})}
	case TakeFirst:
		return &taken{}
	case TakeLast:
		return &taken{last: true}
	}
	whole := t == IntegerType || t == LongType
	switch {
	case op == Sum && whole:
		return &wholeFold{of: t, f: func(a, b int64) int64 { return a + b }}
	case op == Prod && whole:
		return &wholeFold{of: t, value: 1, f: func(a, b int64) int64 { return a * b }}
	case op == Sum:
		return &realSum{of: t}
	case op == Prod:
		return &realProduct{of: t, special: 1, product: new(big.Float).SetPrec(productPrecision).SetInt64(1)}
	}
	return &statistic{op: op}
}

// asReal returns a number as a Double, or as a Float for a Float column.
func asReal(x float64, t ColumnType) Value {
	if t == FloatType {
		return Float(float32(x))
	}
	return Double(x)
}

// numberOf returns a numeric value as a float64.
func numberOf(v Value) float64 {
	if v.kind == DoubleKind || v.kind == FloatKind {
		return v.real()
	}
	return float64(v.integer())
}

// compareNumbers compares two values of one kind; NaN is above all others, and -0.0 below 0.0.
func compareNumbers(a, b Value) int {
	if a.kind == DoubleKind || a.kind == FloatKind {
		return compareDoubles(a.real(), b.real())
	}
	return LongOrder{}.compare(a, b)
}

// extreme computes Min and Max; null without values.
type extreme struct {
	sign  int
	value Value
}

func (a *extreme) add(v Value) {
	if a.value.IsNull() || compareNumbers(v, a.value)*a.sign > 0 {
		a.value = v
	}
}

func (a *extreme) result() Value { return a.value }

// spread computes Range.
type spread struct {
	low, high extreme
	of        ColumnType
}

func (a *spread) add(v Value) { a.low.add(v); a.high.add(v) }

func (a *spread) result() Value {
	if a.low.value.IsNull() {
		return Null()
	}
	low, high := a.low.value, a.high.value
	switch a.of {
	case IntegerType:
		return Integer(int32(high.integer() - low.integer()))
	case LongType, TimeType:
		return Long(high.integer() - low.integer())
	case FloatType:
		return Float(float32(high.real()) - float32(low.real()))
	}
	return Double(high.real() - low.real())
}

// wholeFold computes Sum and Prod of integers, which wrap around.
type wholeFold struct {
	of    ColumnType
	value int64
	some  bool
	f     func(a, b int64) int64
}

func (a *wholeFold) add(v Value) { a.value, a.some = a.f(a.value, v.integer()), true }

func (a *wholeFold) result() Value {
	switch {
	case !a.some:
		return Null()
	case a.of == IntegerType:
		return Integer(int32(a.value))
	}
	return Long(a.value)
}

// realSum computes Sum, rounded once.
type realSum struct {
	of  ColumnType
	sum exactSum
}

func (a *realSum) add(v Value) { a.sum.add(v.real()) }

func (a *realSum) result() Value {
	if a.sum.n == 0 {
		return Null()
	}
	return asReal(a.sum.value(), a.of)
}

// productPrecision makes the product of millions of numbers independent of grouping, except for ties, which do not
// occur.
const productPrecision = 256

// realProduct computes Prod, rounded once. The product of infinities and NaN is separate.
type realProduct struct {
	of      ColumnType
	product *big.Float
	special float64
	some    bool
}

func (a *realProduct) add(v Value) {
	a.some = true
	x := v.real()
	if math.IsInf(x, 0) || x != x {
		a.special *= x
		return
	}
	a.product.Mul(a.product, new(big.Float).SetFloat64(x))
}

func (a *realProduct) result() Value {
	if !a.some {
		return Null()
	}
	x, _ := a.product.Float64()
	if a.special != 1 {
		if x == 0 {
			x = math.NaN()
		} else {
			x = math.Copysign(1, x)
		}
		x *= a.special
	}
	return asReal(x, a.of)
}

// statistic computes Mean and the deviations.
type statistic struct {
	op ReduceOp
	moments
}

func (a *statistic) add(v Value) {
	if a.op == Mean {
		a.sum.add(numberOf(v))
	} else {
		a.moments.add(numberOf(v))
	}
}

func (a *statistic) result() Value {
	switch a.op {
	case Stdev:
		return Double(math.Sqrt(a.variance(1)))
	case Variance:
		return Double(a.variance(1))
	case UncorrectedStdev:
		return Double(math.Sqrt(a.variance(0)))
	case PopulationVariance:
		return Double(a.variance(0))
	}
	return Double(a.mean())
}

// texts computes Append and Prepend.
type texts struct {
	backwards bool
	pieces    []string
}

func (a *texts) add(v Value) { a.pieces = append(a.pieces, v.String()) }

func (a *texts) result() Value {
	if !a.backwards {
		return Text(strings.Join(a.pieces, ""))
	}
	var b strings.Builder
	for i := len(a.pieces) - 1; i >= 0; i-- {
		b.WriteString(a.pieces[i])
	}
	return Text(b.String())
}

type count struct{ n int64 }

func (a *count) add(Value) { a.n++ }

func (a *count) result() Value { return Long(a.n) }

// unique counts distinct values exactly.
type unique struct{ seen map[string]struct{} }

func (a *unique) add(v Value) { a.seen[v.String()] = struct{}{} }

func (a *unique) result() Value { return Long(int64(len(a.seen))) }

// taken computes TakeFirst and TakeLast; null without values.
type taken struct {
	last, some bool
	value      Value
}

func (a *taken) add(v Value) {
	if a.last || !a.some {
		a.value, a.some = v, true
	}
}

func (a *taken) result() Value { return a.value }
