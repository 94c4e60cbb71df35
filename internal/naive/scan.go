package naive

import "github.com/dl4go/dl4go/program"

func scan[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	op := n.Op.(program.Scan)
	body, err := Compile[T](op.Body)
	if err != nil {
		return func() { panic(err) }
	}
	b := &Bindings[T]{Inputs: make([][]T, len(in))}
	first := op.Invariants + op.States
	return func() {
		copy(b.Inputs, in[:op.Invariants])
		for k := range op.States {
			size := len(in[op.Invariants+k])
			at := 0
			if op.Reverse {
				at = op.Steps * size
			}
			copy(out[k][at:at+size], in[op.Invariants+k])
		}
		for i := range op.Steps {
			t, from, to := i, i, i+1
			if op.Reverse {
				t = op.Steps - 1 - i
				from, to = t+1, t
			}
			for k := range op.States {
				size := len(in[op.Invariants+k])
				b.Inputs[op.Invariants+k] = out[k][from*size : (from+1)*size]
			}
			for k := first; k < len(in); k++ {
				size := len(in[k]) / op.Steps
				b.Inputs[k] = in[k][t*size : (t+1)*size]
			}
			if err := body.Run(b); err != nil {
				panic(err) // Infer has compared all sizes
			}
			for k := range out {
				x, at := body.Output(k), t
				if k < op.States {
					at = to
				}
				copy(out[k][at*len(x):], x)
			}
		}
	}
}

func split[T Float](_ *Executable[T], n *program.Node, in, out [][]T) step[T] {
	op := n.Op.(program.Split)
	step := strides(n.In[0].Shape)
	from := make([][]int, len(out))
	for i, v := range n.Out {
		from[i] = index(v.Shape, step, i*v.Shape[op.Dim]*step[op.Dim])
	}
	return func() {
		for i, y := range out {
			for k, at := range from[i] {
				y[k] = in[0][at]
			}
		}
	}
}
