package program_test

import (
	"math"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/program"
)

// TestScalesOfOrdinaryRows: rows of ordinary size are divided by 1, so that formulas with norms keep their bits.
func TestScalesOfOrdinaryRows(t *testing.T) {
	x := []float32{1, -0.3, 0x1p-50, 0, 0x1p16, -7, 1e-20, 3} // rows of 2
	b := program.NewBuilder()
	in := b.Input("x", 4, 2)
	norm, scale := b.Norm(in, 1)
	b.Output("norm", norm)
	b.Output("scale", scale)
	shrunk, one := program.Shrunk(b, in, 1)
	b.Output("shrunk", shrunk)
	b.Output("by", one)
	scaled, by := program.Scaled(b, in, 1)
	b.Output("scaled", scaled)
	b.Output("by", by)
	e, err := naive.Compile[float32](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(&naive.Bindings[float32]{Inputs: [][]float32{x}}); err != nil {
		t.Fatal(err)
	}
	for row := range 4 {
		a, c := x[2*row], x[2*row+1]
		if row != 1 { // whose norm is below 2⁻⁴⁰
			want := float32(math.Sqrt(float64(a*a + c*c)))
			if n, s := e.Output(0)[row], e.Output(1)[row]; n != want || s != 1 {
				t.Errorf("the norm of %v, %v is %v of the scale %v, want %v", a, c, n, s, want)
			}
		}
		for out := 2; out < 6; out += 2 {
			got, by := e.Output(out)[2*row:2*row+2], e.Output(out + 1)[row]
			if got[0] != a || got[1] != c || by != 1 {
				t.Errorf("row %v, %v is scaled to %v by %v", a, c, got, by)
			}
		}
	}
	if n, s := e.Output(0)[1], e.Output(1)[1]; n != 0x1p30 || s != 0x1p80 {
		t.Errorf("the norm of 2⁻⁵⁰ is %v of the scale %v", n, s)
	}
}
