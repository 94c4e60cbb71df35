package updater

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
)

// table is a matrix by rows.
type table [][]float64

func newTable(rows, columns int) table {
	t := make(table, rows)
	for i := range t {
		t[i] = make([]float64, columns)
	}
	return t
}

func (t table) each(f func(i, j int)) {
	for i := range t {
		for j := range t[i] {
			f(i, j)
		}
	}
}

func (t table) rms() float64 {
	sum := 0.0
	t.each(func(i, j int) { sum += t[i][j] * t[i][j] })
	return math.Sqrt(sum / float64(len(t)*len(t[0])))
}

func product(a, b table) table {
	out := newTable(len(a), len(b[0]))
	out.each(func(i, j int) {
		for k := range b {
			out[i][j] += a[i][k] * b[k][j]
		}
	})
	return out
}

func transposedTable(a table) table {
	out := newTable(len(a[0]), len(a))
	a.each(func(i, j int) { out[j][i] = a[i][j] })
	return out
}

// adafactorLoop is Adafactor's algorithm 4, with Keras' means, by loops.
func adafactorLoop(u Adafactor, w table) func(t int, g table) {
	r, c := make([]float64, len(w)), make([]float64, len(w[0]))
	return func(t int, g table) {
		beta := 1 - math.Pow(float64(t), u.Decay)
		for i := range r {
			r[i] *= beta
		}
		for j := range c {
			c[j] *= beta
		}
		g.each(func(i, j int) {
			q := (1 - beta) * (g[i][j]*g[i][j] + u.Epsilon1)
			r[i] += q / float64(len(c))
			c[j] += q / float64(len(r))
		})
		mean := 0.0
		for i := range r {
			mean += r[i] / float64(len(r))
		}
		step := newTable(len(r), len(c))
		g.each(func(i, j int) { step[i][j] = g[i][j] / math.Sqrt(r[i]*c[j]/mean) })
		rate := min(u.LearningRate, 1/math.Sqrt(float64(t))) * max(u.Epsilon2, w.rms())
		rate /= max(1, step.rms()/u.Clip)
		w.each(func(i, j int) { w[i][j] -= rate * step[i][j] })
	}
}

// muonLoop is Muon's algorithm by loops. It iterates with the taller side in front.
func muonLoop(u Muon, w table) func(t int, g table) {
	m := newTable(len(w), len(w[0]))
	return func(_ int, g table) {
		x := newTable(len(w), len(w[0]))
		m.each(func(i, j int) {
			m[i][j] = u.Momentum*m[i][j] + g[i][j]
			if x[i][j] = m[i][j]; !u.Classical {
				x[i][j] = g[i][j] + u.Momentum*m[i][j]
			}
		})
		norm := x.rms()*math.Sqrt(float64(len(w)*len(w[0]))) + 1e-7
		x.each(func(i, j int) { x[i][j] /= norm })
		for range u.Iterations {
			once := product(product(x, transposedTable(x)), x)
			twice := product(product(x, transposedTable(x)), once)
			x.each(func(i, j int) { x[i][j] = u.A*x[i][j] + u.B*once[i][j] + u.C*twice[i][j] })
		}
		rate := u.LearningRate
		if u.RMS != 0 {
			rate *= u.RMS * math.Sqrt(float64(max(len(w), len(w[0]))))
		}
		w.each(func(i, j int) { w[i][j] -= rate * x[i][j] })
	}
}

// TestMatrixLoops compares the formulas with loops, for matrices of many extents in both orders.
func TestMatrixLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	small := NewAdafactor()
	small.LearningRate, small.Clip, small.Epsilon2 = 0.3, 0.4, 0.5
	classical := NewMuon()
	classical.Classical, classical.RMS, classical.Iterations = true, 0, 2
	for _, u := range []Shaped{NewAdafactor(), small, NewMuon(), classical} {
		for _, shape := range [][2]int{{1, 1}, {1, 4}, {6, 1}, {3, 3}, {7, 4}, {2, 9}} {
			rows, columns := shape[0], shape[1]
			draw := func() table {
				x := newTable(rows, columns)
				x.each(func(i, j int) { x[i][j] = rng.NormFloat64() })
				return x
			}
			flat := func(x table, byColumn bool) (out []float64) {
				if byColumn {
					x = transposedTable(x)
				}
				x.each(func(i, j int) { out = append(out, x[i][j]) })
				return out
			}
			w := draw()
			a := newMatrixStepper(t, u, Parameter{Shape: []int{rows, columns}, Columns: 1}, flat(w, false))
			b := newMatrixStepper(t, u, Parameter{Shape: []int{columns, rows}, Rows: 1}, flat(w, true))
			var loop func(int, table)
			switch u := u.(type) {
			case Adafactor:
				loop = adafactorLoop(u, w)
			case Muon:
				loop = muonLoop(u, w)
			}
			for k := range 4 {
				g := draw()
				loop(k+1, g)
				a.step(t, k, flat(g, false))
				b.step(t, k, flat(g, true))
				where := fmt.Sprintf("%+v: %v, step %d", u, shape, k)
				if err := near.All(a.w, flat(w, false), 1e-9, 1e-9); err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				if err := near.All(b.w, flat(w, true), 1e-9, 1e-9); err != nil {
					t.Fatalf("%s by columns: %v", where, err)
				}
			}
		}
	}
}

// TestMuonParameters: matrices have Muon's steps and one state, other parameters Adam's and two.
func TestMuonParameters(t *testing.T) {
	plain, tables, except := NewMuon(), NewMuon(), NewMuon()
	tables.Tables, except.Except = true, []string{"RW"}
	matrix := Parameter{Name: "RW", Shape: []int{4, 3}, Rows: 1}
	table := matrix
	table.Table = true
	for i, c := range []struct {
		u    Muon
		p    Parameter
		want int
	}{
		{plain, matrix, 1}, {plain, table, 2}, {tables, table, 1}, {except, matrix, 2},
		{plain, Parameter{Shape: []int{4}}, 2}, {plain, Parameter{Shape: []int{4, 3, 1, 1}, Rows: 1}, 1},
		{plain, Parameter{Shape: []int{4, 3, 2, 1}, Rows: 1}, 2},
	} {
		if got := c.u.For(c.p).States(); got != c.want {
			t.Errorf("case %d: %d states, want %d", i, got, c.want)
		}
	}
}
