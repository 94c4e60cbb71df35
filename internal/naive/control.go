package naive

import (
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
)

func uniform[T Float](e *Executable[T], n *program.Node, _, out [][]T) step[T] {
	stream := n.Op.(program.Random).Stream
	return func() {
		seed := e.key.Stream(stream)
		for i := range out[0] {
			out[0][i] = T(random.Uniform(seed, uint64(i)))
		}
	}
}
