package program_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/dl4go/dl4go/program"
)

// recurrence is a step with everything that a recurrent layer may have: two states, a product with a weight, a bias, a
// split, a value besides the states, and a value that depends on no state.
func recurrence(b *Builder, inv, s, x []*Value) (next, results []*Value) {
	z := b.Add(b.Add(x[0], b.Apply(MatMul{TransB: true}, s[0], inv[0])), b.Unary(Tanh, inv[1]))
	parts := b.Split(z, 1, 2)
	c := b.Add(b.Mul(b.Unary(Sigmoid, parts[0]), s[1]), b.Mul(parts[1], b.Fill(0.3)))
	c = b.Mul(c, b.Slice(inv[0], 0, 0, 1))
	h := b.Mul(b.Unary(Tanh, c), x[1])
	return []*Value{h, c}, []*Value{b.Mul(h, s[1]), s[0], x[0], inv[1], parts[0]}
}

func scanGradients(c *checks) {
	const steps, rows, n = 4, 3, 2
	for _, reverse := range []bool{false, true} {
		for result := range 10 {
			c.check(fmt.Sprintf("scan, reverse %t, result %d", reverse, result), func(b *Builder, x []*Value) *Value {
				states, results, last := b.Scan(Loop{steps, reverse}, x[:2], x[2:4], x[4:], recurrence)
				all := append(append(states, results...), last...)
				all = append(all, b.Add(b.Add(states[0], states[1]), results[0]))
				return all[result]
			}, c.uniform(-1, 1, 2*n, n), c.uniform(-1, 1, 2*n), c.uniform(-1, 1, rows, n), c.uniform(-1, 1, rows, n),
				c.uniform(-1, 1, steps, rows, 2*n), c.uniform(-1, 1, steps, rows, 1))
		}
	}
	c.op(Split{Dim: 1, Parts: 3}, c.uniform(-1, 1, 2, 6))
	c.check("split, one part unused", func(b *Builder, x []*Value) *Value {
		parts := b.Split(x[0], 0, 2)
		return b.Unary(Square, parts[1])
	}, c.uniform(-1, 1, 4, 2))
}

func TestScanRefuses(t *testing.T) {
	for want, f := range map[string]func(b *Builder, x *Value){
		"should have 5 steps": func(b *Builder, x *Value) {
			b.Scan(Loop{Steps: 5}, nil, nil, []*Value{x},
				func(b *Builder, _, _, x []*Value) (next, out []*Value) { return nil, x })
		},
		"gives 0 states of 1": func(b *Builder, x *Value) {
			b.Scan(Loop{Steps: 4}, nil, []*Value{x}, nil,
				func(b *Builder, _, s, _ []*Value) (next, out []*Value) { return nil, s })
		},
		"after a step": func(b *Builder, x *Value) {
			b.Scan(Loop{Steps: 4}, nil, []*Value{x}, nil, func(b *Builder, _, s, _ []*Value) (next, out []*Value) {
				return []*Value{b.Concat(0, s[0], s[0])}, nil
			})
		},
		"none of its operands": func(b *Builder, x *Value) {
			b.Scan(Loop{Steps: 4}, nil, []*Value{x}, nil, func(b *Builder, _, s, _ []*Value) (next, out []*Value) {
				return []*Value{b.Add(s[0], b.View(Params, 0, 4, 2))}, nil
			})
		},
		"sequence has at least one": func(b *Builder, x *Value) {
			b.Scan(Loop{}, nil, []*Value{x}, nil, func(b *Builder, _, s, _ []*Value) (next, out []*Value) {
				return []*Value{b.Neg(s[0])}, nil
			})
		},
	} {
		b := NewBuilder()
		err := Try(func() { f(b, b.Input("x", 4, 2)) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// A loop's dump is the same in every process: it contains no addresses.
func TestScanDump(t *testing.T) {
	text := func() string {
		b := NewBuilder()
		x := b.Input("x", 4, 3, 2)
		states, _, _ := b.Scan(Loop{Steps: 4}, nil, []*Value{b.Fill(0, 3, 2)}, []*Value{x},
			func(b *Builder, _, s, x []*Value) (next, out []*Value) {
				return []*Value{b.Unary(Tanh, b.Add(s[0], x[0]))}, nil
			})
		b.Output("h", states[0])
		var s strings.Builder
		if err := b.Build().Dump(&s); err != nil {
			t.Fatal(err)
		}
		return s.String()
	}
	if a, b := text(), text(); a != b || !strings.Contains(a, "tanh") {
		t.Errorf("dumps are\n%s\nand\n%s", a, b)
	}
}
