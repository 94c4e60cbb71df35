package threshold

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

// clipping is ResidualClipping on a device. Where no element is beyond the limits, only the largest magnitudes are
// copied to this process, and otherwise the elements beyond the limits.
type clipping struct {
	look    program.Executable // for the largest magnitudes; nil until it is needed
	cut     program.Executable // clips; the same
	limits  []float32          // of the ranges
	removed []Removed          // the same
}

// clip clips the residual to limits if the iteration is one of those, and sets removed.
func (d *onDevice) clip(p ResidualClipping, iteration int) error {
	c := &d.clipping
	clear(c.removed)
	if !p.due(iteration) {
		return nil
	}
	if err := d.compiled(&c.look, d.ranges.looking); err != nil {
		return err
	}
	if err := d.Run(c.look); err != nil {
		return err
	}
	beyond := false
	for i, most := range c.look.Output(0) {
		beyond = beyond || most > c.limits[i]
	}
	if !beyond {
		return nil
	}
	if err := d.compiled(&c.cut, d.ranges.cutting); err != nil {
		return err
	}
	if err := d.Run(c.cut, c.limits); err != nil {
		return err
	}
	elements := c.cut.Output(0)
	for i, s := range d.ranges {
		c.removed[i] = removedFrom(elements[:s.size()], c.limits[i])
		elements = elements[s.size():]
	}
	return nil
}

// clipLayers clips the layers of an encoder that have values, after the values have moved.
func (d *onDevice) clipLayers(e *Encoder, iteration int) error {
	p, clips := e.post.(ResidualClipping)
	if !clips {
		return nil
	}
	for i, n := range d.counts {
		if d.limits[i] = float32(math.Inf(1)); n > 0 {
			d.limits[i] = p.limit(e.state.Layers[i].LastThreshold)
		}
	}
	return d.clip(p, iteration)
}

// process returns what was removed from a layer. If an encoder has no layers, it clips.
func (d *onDevice) process(e *Encoder, p ResidualClipping, iteration int, threshold float64, layer int) Removed {
	if e.layers == nil {
		d.limits[0] = p.limit(threshold)
		d.note(d.clip(p, iteration))
	}
	e.totals.Clipped.Add(d.removed[layer])
	return d.removed[layer]
}

// compiled compiles a program when it is needed.
func (d *onDevice) compiled(x *program.Executable, build func() *program.Program) (err error) {
	if *x == nil {
		*x, err = d.Compile(build())
	}
	return err
}

// removedFrom returns what Coder.Clip removes. elements has those beyond the limit, and 0 for others.
func removedFrom(elements []float32, limit float32) (all Removed) {
	for i := range blocksOf(len(elements)) {
		from, to := part(i, len(elements))
		var r Removed
		for _, v := range elements[from:to] {
			if v != 0 {
				change := float64(v) - math.Copysign(float64(limit), float64(v))
				r.Add(Removed{1, change, math.Abs(change)})
			}
		}
		all.Add(r)
	}
	return all
}

// looking returns a program. Its output is the largest magnitude of the residual in each range.
func (r ranges) looking() *program.Program {
	b := program.NewBuilder()
	var largest []*program.Value
	for _, s := range r {
		largest = append(largest, largestOf(b, b.View(program.Residual, s.from, s.size())))
	}
	b.Output("largest", b.Concat(0, largest...))
	return b.Build()
}

// largestOf emits the largest magnitude of x.
func largestOf(b *program.Builder, x *program.Value) *program.Value {
	return b.Reshape(b.Apply(program.Reduce{Kind: program.Max, Dims: program.Dims(0)}, b.Unary(program.Abs, x)), 1)
}

// cutting returns the program that clips the residual to the limits of the ranges. Its output has the elements beyond
// the limits, and 0 for others.
func (r ranges) cutting() *program.Program {
	b := program.NewBuilder()
	limits, zero := b.Input("limits", len(r)), b.Scalar(0)
	var elements []*program.Value
	for i, s := range r {
		x, limit := b.View(program.Residual, s.from, s.size()), b.Slice(limits, 0, i, i+1)
		beyond := b.Binary(program.Greater, b.Unary(program.Abs, x), limit)
		elements = append(elements, b.Select(beyond, x, b.Fill(0, s.size())))
		cut := b.Select(b.Binary(program.Greater, x, zero), limit, b.Neg(limit))
		b.Store(program.Residual, s.from, b.Select(beyond, cut, x))
	}
	b.Output("elements", b.Concat(0, elements...))
	return b.Build()
}
