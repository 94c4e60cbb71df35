package pipeline

import (
	"fmt"
	"strconv"

	"github.com/dl4go/dl4go/internal/fingerprint"
)

// HashValue replaces a value by a number. Each of the Known texts has a number of its own. Every other text gets the
// number of a bucket, which its hash chooses: First plus the hash modulo Buckets. Values of number columns are cut to
// whole numbers, and hashed as their decimal digits. The hashes are TensorFlow's. DataVec has no such step and cannot
// read this one.
type HashValue struct {
	Column  string `dl4j:"columnName,creator"`
	Buckets int    `dl4j:"buckets"`
	First   int    `dl4j:"first"` // number of the first bucket
	// Key has the two words of a key for SipHash; empty for FarmHash.
	Key []int64 `dl4j:"key"`
	// Known are texts that are not hashed, and Numbers their numbers.
	Known   []string `dl4j:"known"`
	Numbers []int    `dl4j:"numbers"`
}

// mostNumber is the maximum number that HashValue gives.
const mostNumber = 1 << 24

func init() {
	RegisterTransform("org.dl4go.pipeline.HashValueTransform", func() Transform { return HashValue{} })
}

// Bind replaces the column by an Integer column of the same name.
func (s HashValue) Bind(in *Schema) (Bound, error) {
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	most, err := s.check()
	if err != nil {
		return Bound{}, err
	}
	of := s.numbering()
	number := func(text string) (int64, error) { return of(text), nil }
	whole := in.Columns[at].Type() != StringType && in.Columns[at].Type() != CategoricalType
	m := &cellMap{at: at, name: s.Column, gives: IntegerKind, do: func(v Value) (Value, error) {
		text := v.String()
		switch {
		case v.IsNull():
			return v, &ValueError{v, "a value to hash"}
		case whole:
			n, err := v.wholeNumber()
			if err != nil {
				return v, err
			}
			text = strconv.FormatInt(n, 10)
		}
		n, err := number(text)
		return Integer(int32(n)), err
	}}
	if !whole {
		m.whole = number
	}
	zero, last := int32(0), int32(most)
	return Bound{in.replaced(at, IntegerColumn{Name: s.Column, Min: &zero, Max: &last}), m}, nil
}

// numbering returns the number of each text.
func (s HashValue) numbering() func(text string) int64 {
	known := newTextTable(s.Known)
	return func(text string) int64 {
		if k := known.find(text); k >= 0 {
			return int64(s.Numbers[k])
		}
		return int64(s.First) + int64(s.hash(text)%uint64(s.Buckets))
	}
}

// Table returns the results for the whole numbers from 0 to n − 1.
func (s HashValue) Table(n int) ([]int, error) {
	if _, err := s.check(); err != nil {
		return nil, err
	}
	of, out := s.numbering(), make([]int, n)
	for i := range out {
		out[i] = int(of(strconv.Itoa(i)))
	}
	return out, nil
}

// check checks the settings, and returns the largest number.
func (s HashValue) check() (most int, err error) {
	switch {
	case s.Buckets < 1 || s.Buckets > mostNumber:
		return 0, fmt.Errorf("%d buckets: give 1 to %d", s.Buckets, mostNumber)
	case s.First < 0 || s.First > mostNumber:
		return 0, fmt.Errorf("first is %d: give 0 to %d", s.First, mostNumber)
	case len(s.Key) != 0 && len(s.Key) != 2:
		return 0, fmt.Errorf("the key has %d words: give 2, or none", len(s.Key))
	case len(s.Known) != len(s.Numbers):
		return 0, fmt.Errorf("there are %d known texts and %d numbers: give as many", len(s.Known), len(s.Numbers))
	}
	most = s.First + s.Buckets - 1
	for i, n := range s.Numbers {
		if n < 0 || n > 2*mostNumber {
			return 0, fmt.Errorf("the number of %.60q is %d: give 0 to %d", s.Known[i], n, 2*mostNumber)
		}
		most = max(most, n)
	}
	return most, nil
}

func (s HashValue) hash(text string) uint64 {
	if len(s.Key) == 0 {
		return fingerprint.Farm(text)
	}
	return fingerprint.Sip([2]uint64{uint64(s.Key[0]), uint64(s.Key[1])}, text)
}

// wholeNumber is [Value.Long] that also takes texts of numbers with a fraction.
func (v Value) wholeNumber() (int64, error) {
	n, err := v.Long()
	if err == nil || !v.IsText() {
		return n, err
	}
	x, err := v.Double()
	if err != nil {
		return 0, err
	}
	return Double(x).Long()
}
