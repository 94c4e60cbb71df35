package pipeline

import (
	"fmt"
	"strings"
	"unicode"
)

// HashText replaces a text column by Buckets columns with counts of its words. The hash of a word selects the column
// that counts it. Words are runs of letters and digits, in lower case. DataVec has no such step and cannot read this
// one.
type HashText struct {
	Column  string `dl4j:"columnName,creator"`
	Buckets int    `dl4j:"buckets"`
}

// maxBuckets is the maximum number of columns of a text.
const maxBuckets = 1 << 16

func init() {
	RegisterTransform("org.dl4go.pipeline.HashTextTransform", func() Transform { return HashText{} })
}

// Bind replaces the column by Integer columns NAME[hash0], NAME[hash1], ….
func (s HashText) Bind(in *Schema) (Bound, error) {
	at, err := in.Find(s.Column)
	if err != nil {
		return Bound{}, err
	}
	if s.Buckets < 1 || s.Buckets > maxBuckets {
		return Bound{}, fmt.Errorf("%d buckets: give 1 to %d", s.Buckets, maxBuckets)
	}
	zero := int32(0)
	columns := append([]Column(nil), in.Columns[:at]...)
	for i := range s.Buckets {
		columns = append(columns, IntegerColumn{Name: fmt.Sprintf("%s[hash%d]", s.Column, i), Min: &zero})
	}
	columns = append(columns, in.Columns[at+1:]...)
	return Bound{in.With(columns), RowMap(func(r Row) (Row, error) {
		counts := make([]int32, s.Buckets)
		if !r[at].IsNull() {
			s.count(r[at].String(), counts)
		}
		out := append(make(Row, 0, len(columns)), r[:at]...)
		for _, n := range counts {
			out = append(out, Integer(n))
		}
		return append(out, r[at+1:]...), nil
	})}, nil
}

func (s HashText) count(text string, counts []int32) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		h := uint32(0x811c9dc5) // FNV-1a
		for i := range len(word) {
			h = (h ^ uint32(word[i])) * 0x01000193
		}
		counts[h%uint32(s.Buckets)]++
	}
}
