package analysis

import (
	"fmt"
	"math"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// Arrays describes arrays of numbers. Mean and Deviation are those of all their finite numbers.
type Arrays struct {
	// Shape is the shape of all arrays. If shapes differ, it is nil, and First and Other are two shapes with their
	// places.
	Shape     []int   `json:"shape,omitempty"`
	First     string  `json:"first,omitempty"`
	Other     string  `json:"other,omitempty"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
	// Odd is the number of numbers that are NaN or infinite, and Single the number of values that are not arrays.
	Odd    int64 `json:"odd,omitempty"`
	Single int64 `json:"single,omitempty"`
}

// array adds an array. The first shape is stored like the first text that is not a number, and the first different
// shape like the first number.
func (p *profile) array(a *pipeline.Array, row int, place func(row int) string) {
	p.arrays++
	if a == nil {
		return
	}
	if shape := fmt.Sprint(a.Shape); shape != p.odd[0].text {
		k := min(len(p.odd[0].text), 1)
		if p.odd[k].text == "" {
			p.odd[k].text = shape
			if place != nil {
				p.odd[k].place = place(row)
			}
		}
	}
	for _, x := range a.Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			p.infinite++
			continue
		}
		p.min, p.max = min(p.min, x), max(p.max, x)
		p.moments.add(x)
	}
}

// mergeShapes adds the shapes of arrays in later rows.
func (p *profile) mergeShapes(o *profile) {
	for _, later := range o.odd {
		if k := min(len(p.odd[0].text), 1); p.odd[k].text == "" && later.text != p.odd[0].text {
			p.odd[k] = later
		}
	}
}

// shapes describes the arrays; nil if there are no arrays of numbers.
func (p *profile) shapes() *Arrays {
	if p.odd[0].text == "" {
		return nil
	}
	a := &Arrays{Odd: p.infinite, Single: p.rows - p.gaps - p.arrays}
	if p.moments.n > 0 {
		a.Mean, a.Min, a.Max = p.moments.mean(), p.min, p.max
	}
	if p.moments.n > 1 {
		a.Deviation = math.Sqrt(p.moments.variance())
	}
	if p.odd[1].text != "" {
		a.First, a.Other = p.odd[0].String(), p.odd[1].String()
		return a
	}
	for text := range strings.FieldsSeq(strings.Trim(p.odd[0].text, "[]")) {
		n := 0
		fmt.Sscan(text, &n)
		a.Shape = append(a.Shape, n)
	}
	return a
}

func (o oddity) String() string {
	if o.place == "" {
		return o.text
	}
	return o.text + " at " + o.place
}

// arrays plans a column of arrays of one shape: each number is a feature. All are standardised in the same way.
func (b *proposer) arrays(c *Column) {
	leave := "leave the column out with " + b.options.Word("Drop", "")
	a := c.Arrays
	switch {
	case a == nil:
		b.leave(c, Refuse, "bytes are no features; "+leave)
		return
	case a.Single > 0:
		b.leave(c, Refuse, fmt.Sprintf("arrays, and %s that are none; make arrays of all, or %s",
			counted(a.Single, "value"), leave))
		return
	case a.Shape == nil:
		b.leave(c, Refuse, fmt.Sprintf("arrays of different shapes, %s and %s; pad or cut them to one length, or %s", a.First,
			a.Other, leave))
		return
	case a.Odd > 0:
		b.leave(c, Refuse, fmt.Sprintf("%s in arrays that are missing or infinite; fill them in, or %s",
			counted(a.Odd, "number"), leave))
		return
	case c.Gaps > 0 && b.options.Missing != MissingDrop:
		b.leave(c, Refuse, fmt.Sprintf("%s among arrays; leave the rows out with %s, or %s", counted(c.Gaps, "gap"),
			b.options.Word("Missing", "drop"), leave))
		return
	case a.Deviation == 0 || math.IsInf(a.Deviation, 0):
		b.leave(c, Drop, "all numbers of the arrays are the same, left out")
		return
	}
	initial := pipeline.ArrayColumn{Name: c.Name}
	n := int64(1)
	for _, extent := range a.Shape {
		initial.Shape = append(initial.Shape, int64(extent))
		n *= int64(extent)
	}
	scale := func(op string, by float64) any {
		return action("transform", members("org.datavec.api.transform.ndarray.NDArrayScalarOpTransform", "columnName", c.Name,
			"mathOp", op, "scalar", by))
	}
	b.use(c, initial, fmt.Sprintf("arrays, %s each, standardised together (mean %s, deviation %s)", counted(n, "number"),
		short(a.Mean), short(a.Deviation)), []string{c.Name},
		[]any{scale("Subtract", a.Mean), scale("Divide", a.Deviation)})
	if b.options.Missing == MissingDrop {
		p := b.plans[c.Name]
		p.gone = []any{remove(members(conditionPackage+"column.NullWritableColumnCondition", "columnName", c.Name))}
		b.plans[c.Name] = p
	}
}
