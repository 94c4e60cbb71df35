package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/tensor"
)

// BackpropType says how gradients of sequences are computed.
type BackpropType string

// Standard computes gradients over whole sequences, TruncatedBPTT over segments of them.
const (
	Standard      BackpropType = "Standard"
	TruncatedBPTT BackpropType = "TruncatedBPTT"
)

// fitSegments is truncated back-propagation through time (Williams and Peng, "An efficient gradient-based algorithm
// for on-line training of recurrent network trajectories", 1990). It cuts sequences into segments of the forward
// length. Each segment is a step of its own, which begins with the states that the segment before left. Within a
// segment, the gradients of recurrent layers go back by the back length. step does one segment. The score is that of
// the last segment.
func (n *training) fitSegments(m *data.MultiDataSet,
	step func(part *data.MultiDataSet, i int) (float64, error)) (float64, error) {
	steps, out, err := n.timeSteps(m)
	if err != nil {
		return 0, err
	}
	n.carried = states{}
	defer func() { n.carried = nil }()
	score := 0.0
	for from := 0; from < steps; from += n.forward {
		part := n.segment(m, out, from, min(steps, from+n.forward), steps)
		if score, err = step(part, from/n.forward); err != nil {
			return score, err
		}
	}
	return score, nil
}

// Truncated reports whether the network is trained on segments of sequences (TruncatedBPTT).
func (n *sequencing) Truncated() bool { return n.forward > 0 }

// segmentKey returns the key of a segment's random numbers.
func segmentKey(k Key, i int) Key {
	if i > 0 {
		k.Seed = random.Mix(k.Seed, uint64(i))
	}
	return k
}

// completeBackprop fills in default lengths and checks them.
func (c *Configuration) completeBackprop() error {
	for _, n := range []*int{&c.TBPTTForwardLength, &c.TBPTTBackLength} {
		if *n == 0 {
			*n = 20
		}
	}
	switch c.BackpropType {
	case "":
		c.BackpropType = Standard
	case Standard:
	case TruncatedBPTT:
		if c.TBPTTForwardLength < 0 || c.TBPTTBackLength < 0 {
			return fmt.Errorf("truncated back-propagation by %d steps, back by %d: both must be positive",
				c.TBPTTForwardLength, c.TBPTTBackLength)
		}
	default:
		return fmt.Errorf("backpropType %q is unknown: %s and %s are known", c.BackpropType, Standard, TruncatedBPTT)
	}
	return nil
}

// sequencing returns the configuration's settings for sequences; c must be complete.
func (c *Configuration) sequencing(inputs ...inputtype.Type) sequencing {
	var r sequencing
	for _, t := range inputs {
		r.formats = append(r.formats, t.Format)
	}
	if c.BackpropType == TruncatedBPTT {
		r.forward, r.back = c.TBPTTForwardLength, c.TBPTTBackLength
	}
	return r
}

// timeSteps returns the length of a minibatch's sequences, and the types of the outputs.
func (n *blueprint) timeSteps(m *data.MultiDataSet) (steps int, out []inputtype.Type, err error) {
	if err := n.fits(m); err != nil {
		return 0, nil, err
	}
	var ts []inputtype.Type
	for i, f := range m.Features {
		t, err := inputtype.Of(f.Shape)
		if err != nil {
			return 0, nil, err
		}
		ts = append(ts, t)
		if len(f.Shape) != 3 {
			continue
		}
		if s := f.Shape[n.timeDim(i)]; steps != 0 && steps != s {
			return 0, nil, fmt.Errorf("truncated back-propagation takes sequences of one length: features have %d and %d steps",
				steps, s)
		} else {
			steps = s
		}
	}
	if steps == 0 {
		return 0, nil, fmt.Errorf("truncated back-propagation takes sequences: no features are [batch, size, time]")
	}
	_, all, err := n.types(ts)
	if err != nil {
		return 0, nil, err
	}
	if len(m.Labels) != len(n.outputs) {
		return 0, nil, fmt.Errorf("the network has %d outputs, got %d arrays of labels", len(n.outputs), len(m.Labels))
	}
	for k, i := range n.outputs {
		if all[i].Kind != inputtype.RecurrentKind || len(m.Labels[k].Shape) != 3 {
			return 0, nil, n.at(i, fmt.Errorf("truncated back-propagation takes outputs and labels that are sequences, got %v "+
				"and labels of shape %v", all[i], m.Labels[k].Shape))
		}
		out = append(out, all[i])
	}
	return steps, out, nil
}

// segment cuts [from, to) of the sequences and their masks out of a minibatch. Vectors, images and volumes stay whole,
// whatever their extents.
func (n *blueprint) segment(m *data.MultiDataSet, out []inputtype.Type, from, to, steps int) *data.MultiDataSet {
	s := &data.MultiDataSet{}
	cut := func(d, of *tensor.Dense, time int) *tensor.Dense { // d is of itself, or its mask
		if d == nil || len(of.Shape) != 3 {
			return d
		}
		if len(d.Shape) == 2 {
			time = 1
		}
		if d.Shape[time] != steps {
			return d
		}
		return cutDim(d, time, from, to)
	}
	label := func(k int) int {
		if out[k].Format == inputtype.NWC {
			return 1
		}
		return 2
	}
	for i, f := range m.Features {
		s.Features = append(s.Features, cut(f, f, n.timeDim(i)))
	}
	for k, l := range m.Labels {
		s.Labels = append(s.Labels, cut(l, l, label(k)))
	}
	for i, f := range m.FeatureMasks {
		s.FeatureMasks = append(s.FeatureMasks, cut(f, m.Features[i], n.timeDim(i)))
	}
	for k, l := range m.LabelMasks {
		s.LabelMasks = append(s.LabelMasks, cut(l, m.Labels[k], label(k)))
	}
	s.Weights = m.Weights
	return s
}

// cutDim copies the indices [from, to) of a dimension.
func cutDim(d *tensor.Dense, dim, from, to int) *tensor.Dense {
	shape := d.Shape.Clone()
	extent := shape[dim]
	shape[dim] = to - from
	y := tensor.New(shape...)
	inner := shape[dim+1:].Size()
	for o := range shape[:dim].Size() {
		copy(y.Data[o*(to-from)*inner:(o+1)*(to-from)*inner], d.Data[(o*extent+from)*inner:])
	}
	return y
}
