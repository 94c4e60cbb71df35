package naive

import "github.com/dl4go/dl4go/program"

func reverse[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	dim, s := n.Op.(program.Reverse).Dim, n.In[0].Shape
	steps, inner := s[dim], s[dim+1:].Size()
	x, y := in[0], out[0]
	return func() {
		for row := range s[0] {
			var there []int // the steps that the mask keeps
			for t := range steps {
				if len(in) == 1 || in[1][row*steps+t] != 0 {
					there = append(there, t)
				}
			}
			for i := range s[1] * s[2] / max(1, steps) {
				at := row*s[1]*s[2] + i/inner*steps*inner + i%inner
				for t := range steps {
					y[at+t*inner] = 0
				}
				for k, t := range there {
					y[at+t*inner] = x[at+there[len(there)-1-k]*inner]
				}
			}
		}
	}
}
