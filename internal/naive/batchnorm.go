package naive

import (
	"math"

	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// channels returns the indices of each channel's elements in x [batch, channels, …].
func channels(x tensor.Shape) [][]int {
	of := make([][]int, x[1])
	step := make([]int, len(x))
	step[1] = 1
	for i, c := range index(x, step, 0) {
		of[c] = append(of[c], i)
	}
	return of
}

func batchNorm[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	eps := n.Op.(program.BatchNorm).Eps
	cells := channels(n.In[0].Shape)
	x, gamma, beta := in[0], in[1], in[2]
	return func() {
		for c, at := range cells {
			m := float64(len(at))
			mean, variance := 0.0, 0.0
			for _, i := range at {
				mean += float64(x[i]) / m
			}
			for _, i := range at {
				variance += (float64(x[i]) - mean) * (float64(x[i]) - mean) / m
			}
			for _, i := range at {
				out[0][i] = T(float64(gamma[c])*(float64(x[i])-mean)/math.Sqrt(variance+eps) + float64(beta[c]))
			}
			out[1][c], out[2][c] = T(mean), T(variance)
		}
	}
}

func batchNormGrad[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	eps := n.Op.(program.BatchNormGrad).Eps
	cells := channels(n.In[0].Shape)
	x, gamma, mean, variance, dy := in[0], in[1], in[2], in[3], in[4]
	return func() {
		for c, at := range cells {
			m, deviation := float64(len(at)), math.Sqrt(float64(variance[c])+eps)
			normal := func(i int) float64 { return (float64(x[i]) - float64(mean[c])) / deviation }
			dgamma, dbeta := 0.0, 0.0
			for _, i := range at {
				dbeta += float64(dy[i])
				dgamma += float64(dy[i]) * normal(i)
			}
			for _, i := range at {
				out[0][i] = T(float64(gamma[c]) / deviation * (float64(dy[i]) - dbeta/m - normal(i)*dgamma/m))
			}
			out[1][c], out[2][c] = T(dgamma), T(dbeta)
		}
	}
}
