package nn

import (
	"maps"

	"github.com/dl4go/dl4go/program"
)

// firstNoise is the first of a layer's 256 random streams that is used for weight noise. Each parameter has one
// stream.
const firstNoise = 128

// noisy returns a node's parameters as its layer sees them: with noise in training.
func (l *lowered) noisy(node int) map[string]*program.Value {
	seen := l.params[node]
	if !l.training {
		return seen
	}
	k, copied := 0, false
	for _, e := range l.n.layout.entries {
		if e.node != node {
			continue
		}
		if n := e.param.Noise; n != nil {
			if !copied {
				seen, copied = maps.Clone(seen), true
			}
			stream := uint64(node)<<8 + firstNoise + uint64(k%(256-firstNoise))
			seen[e.param.Name] = n.Emit(l.Builder, l.params[node][e.param.Name], l.noiseValue(node, k, n.Value), stream)
		}
		k++
	}
	return seen
}

// noiseValue declares the number of a parameter's noise. Forward pass and score share one declaration.
func (l *lowered) noiseValue(node, k int, value func(iteration, epoch int) float64) *program.Value {
	at := [2]int{node, k}
	if l.noise[at] == nil {
		if l.noise == nil {
			l.noise = map[[2]int]*program.Value{}
		}
		l.noise[at] = l.scalar(value)
	}
	return l.noise[at]
}
