package weights

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/tensor"
)

// OrthogonalDistribution is Gain times a random orthogonal matrix (Saxe, McClelland and Ganguli, "Exact solutions to
// the nonlinear dynamics of learning in deep linear neural networks", 2014). The array is read as a matrix with as
// many columns as its last dimension; its columns, or its rows if these are fewer, are orthonormal.
type OrthogonalDistribution struct {
	Gain  float64 `dl4j:"gain,creator"`
	meant bool    // see package literal
}

// AfterRead notes that a zero from a file is intended.
func (d *OrthogonalDistribution) AfterRead() { d.meant = d.Gain == 0 }

// Sample makes normally distributed vectors orthonormal, one after the other (modified Gram-Schmidt, twice).
func (d OrthogonalDistribution) Sample(dst []float32, shape tensor.Shape, src *Source) {
	if len(dst) == 0 {
		return
	}
	columns := 1
	if len(shape) > 0 {
		columns = shape[len(shape)-1]
	}
	rows := len(dst) / columns
	count, length := columns, rows // vectors and their elements
	at := func(v, i int) int { return i*columns + v }
	if rows < columns {
		count, length = rows, columns
		at = func(v, i int) int { return v*columns + i }
	}
	vectors := make([][]float64, count)
	for v := range vectors {
		vectors[v] = unit(vectors[:v], length, src)
		for i, x := range vectors[v] {
			dst[at(v, i)] = float32(d.Gain * x)
		}
	}
}

// unit draws a vector of length 1 that is orthogonal to the others.
func unit(others [][]float64, n int, src *Source) []float64 {
	x := make([]float64, n)
	for {
		for i := range x {
			x[i] = src.Normal()
		}
		before := math.Sqrt(dot(x, x))
		for range 2 {
			for _, y := range others {
				p := dot(x, y)
				for i := range x {
					x[i] -= float64(p * y[i])
				}
			}
		}
		norm := math.Sqrt(dot(x, x))
		if norm <= 1e-8*before {
			continue // too close to the span of the others to have a direction
		}
		for i := range x {
			x[i] /= norm
		}
		return x
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += float64(x[i] * y[i])
	}
	return sum
}

// Validate requires a finite number that is not 0; from a file, 0 is allowed.
func (d OrthogonalDistribution) Validate() error {
	if err := location("orthogonal", d.Gain, 0); err != nil {
		return err
	}
	return given("orthogonal", d.meant, literal.Number("gain", d.Gain))
}
