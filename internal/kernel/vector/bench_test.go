package vector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/random"
)

// BenchmarkKernels runs every kernel on 2048 elements, which stay in the first-level cache. GB/s counts reads and
// writes.
func BenchmarkKernels(b *testing.B) {
	const n = 2048
	s := random.NewSource(1)
	o := operands{normals(s, n), normals(s, n), normals(s, n), 0.5, 2}
	dst := make([]float32, n)
	run := func(name string, n, streams int, f func(k *Set)) {
		for _, v := range kernel.Available() {
			k := For(v)
			b.Run(fmt.Sprint(name, "/", v), func(b *testing.B) {
				b.SetBytes(int64(4 * n * streams))
				for b.Loop() {
					f(k)
				}
				b.ReportMetric(float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "elements/ns")
			})
		}
	}
	for _, e := range elementwiseKernels() {
		streams := 2
		switch e.name {
		case "Add", "Sub", "Mul", "Div", "Max", "Min", "Greater", "GreaterEqual", "Equal", "Pow", "Axpy", "Axpby":
			streams = 3
		case "MulAdd", "Select":
			streams = 4
		case "Fill":
			streams = 1
		}
		if strings.HasPrefix(e.name, "Log") {
			run(e.name, n, streams, func(k *Set) { e.call(k, dst, operands{a: o.c, b: o.b, c: o.c}) })
			continue
		}
		run(e.name, n, streams, func(k *Set) { e.call(k, dst, o) })
	}
	for _, r := range reductions() {
		streams := 1
		if strings.HasPrefix(r.name, "Dot") {
			streams = 2
		}
		run(r.name, n, streams, func(k *Set) { r.call(k, o.a, o.b, 0.5) })
	}
	run("ReduceMax", n, 1, func(k *Set) { k.ReduceMax(o.a) })
	run("Uniform", n, 1, func(k *Set) { k.Uniform(dst, 1, 2) })
	run("AddRows", n, 1, func(k *Set) { k.AddRows(dst[:128], o.a) })
	run("Softmax10", 2040, 2, func(k *Set) { k.Softmax(dst[:2040], o.a[:2040], 10) })
	run("Softmax512", n, 2, func(k *Set) { k.Softmax(dst, o.a, 512) })
	run("Add16", 16, 3, func(k *Set) { k.Add(dst[:16], o.a[:16], o.b[:16]) }) // the cost of a call
}

// BenchmarkLarge streams a million elements through memory.
func BenchmarkLarge(b *testing.B) {
	const n = 1 << 20
	s := random.NewSource(1)
	x, y, dst := normals(s, n), normals(s, n), make([]float32, n)
	for _, v := range kernel.Available() {
		k := For(v)
		b.Run(fmt.Sprint("Add/", v), func(b *testing.B) {
			b.SetBytes(12 * n)
			for b.Loop() {
				k.Add(dst, x, y)
			}
		})
		b.Run(fmt.Sprint("Sum/", v), func(b *testing.B) {
			b.SetBytes(4 * n)
			for b.Loop() {
				k.Sum(x)
			}
		})
	}
}
