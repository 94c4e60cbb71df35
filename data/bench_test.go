package data

import (
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// BenchmarkMinibatchOfRows makes a minibatch from 64 rows, each with one example of MNIST's size, as workers do.
func BenchmarkMinibatchOfRows(b *testing.B) {
	one := &MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 784)}, Labels: []*tensor.Dense{tensor.New(1, 10)}}
	rows := make([][]byte, 64)
	for i := range rows {
		rows[i] = AppendRow(nil, one)
	}
	b.SetBytes(64 * int64(len(rows[0])))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeRows(rows); err != nil {
			b.Fatal(err)
		}
	}
}
