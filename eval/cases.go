package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// Cases are single examples of an evaluation, for its page: those with the largest loss and, if labels are numbers,
// some that show predictions against true values. Its memory does not grow with the number of examples.
type Cases struct {
	Output  int      // the index of the network's output
	Numbers bool     // labels are numbers; otherwise they are classes, each 1 or 0
	Names   []string // of the classes, or of the numbers' columns
	Columns []string // of the features, if they are the numbers of a row
	// Height, Width and Channels are the size of features that are pictures; 0 if they are none.
	Height, Width, Channels int

	seen    int
	every   int // one of this many examples is among the points
	points  []Case
	hardest []Case
}

// Case is an example with its prediction.
type Case struct {
	Index           int // in the order of the data, from 0
	Key             string
	Labels, Outputs []float32
	Loss            float64
	Features        []float32 // for the cases with the largest loss; nil if not known
	wanted          bool
}

// The limits of [Cases].
const (
	// MostCases is the maximum number of examples that [Cases] examines: the first ones.
	MostCases   = 100_000
	mostPoints  = 600
	mostHardest = 24
)

// Full reports whether Cases has as many examples as it examines.
func (c *Cases) Full() bool { return c.seen >= MostCases }

// Seen returns the number of examples that were added.
func (c *Cases) Seen() int { return c.seen }

// Add examines the next example: arrays of [1, outputs]. It copies what it keeps. Examples that a mask leaves out, and
// arrays of other shapes, are only counted.
func (c *Cases) Add(key string, labels, outputs, mask *tensor.Dense) {
	index := c.seen
	c.seen++
	if len(labels.Shape) != 2 || len(outputs.Shape) != 2 || labels.Shape[1] != outputs.Shape[1] ||
		mask != nil && slices.Contains(mask.Data, 0) {
		return
	}
	x := Case{Index: index, Key: key, Labels: labels.Data, Outputs: outputs.Data}
	x.Loss = c.loss(x.Labels, x.Outputs)
	if c.every = max(1, c.every); c.Numbers && index%c.every == 0 {
		if len(c.points) == mostPoints {
			c.every *= 2
			c.points = slices.DeleteFunc(c.points, func(x Case) bool { return x.Index%c.every != 0 })
		}
		if index%c.every == 0 {
			c.points = append(c.points, x.clone())
		}
	}
	if n := len(c.hardest); n == mostHardest && !(x.Loss > c.hardest[n-1].Loss) {
		return
	}
	x = x.clone()
	x.wanted = true
	at, _ := slices.BinarySearchFunc(c.hardest, x, func(a, b Case) int {
		return cmp.Or(cmp.Compare(b.Loss, a.Loss), cmp.Compare(a.Index, b.Index))
	})
	c.hardest = slices.Insert(c.hardest, at, x)
	c.hardest = c.hardest[:min(mostHardest, len(c.hardest))]
}

func (x Case) clone() Case {
	x.Labels, x.Outputs = slices.Clone(x.Labels), slices.Clone(x.Outputs)
	return x
}

// loss returns the distance of numbers, or the cross-entropy of classes. If a value is not finite, the loss is the
// largest.
func (c *Cases) loss(labels, outputs []float32) float64 {
	sum, positive := 0.0, float32(0)
	for _, y := range labels {
		positive += y
	}
	for i, y := range labels {
		p := float64(outputs[i])
		switch {
		case c.Numbers:
			sum += (p - float64(y)) * (p - float64(y))
		case y > 0.5:
			sum -= math.Log(max(p, 1e-12))
		case len(labels) == 1 || positive != 1:
			sum -= math.Log(max(1-p, 1e-12))
		}
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	if c.Numbers {
		return math.Sqrt(sum)
	}
	return sum
}

// Wanted returns the indices of the examples to add features for, in ascending order.
func (c *Cases) Wanted() (all []int) {
	for _, x := range c.hardest {
		if x.wanted {
			all = append(all, x.Index)
		}
	}
	slices.Sort(all)
	return all
}

// Feature adds the features of an example that [Cases.Wanted] lists. They are copied.
func (c *Cases) Feature(index int, features []float32) {
	for i := range c.hardest {
		if x := &c.hardest[i]; x.Index == index {
			x.Features, x.wanted = slices.Clone(features), false
		}
	}
}

// class returns the most likely class, or for a single output the class 0 or 1.
func class(values []float32) int {
	if len(values) == 1 {
		if values[0] > 0.5 {
			return 1
		}
		return 0
	}
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}
