package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"objdetect.Yolo2OutputLayer", func() Layer { return Yolo2Output{Format: nchw} })
}

// Yolo2Output finds objects in images (Redmon and Farhadi, "YOLO9000", 2017; Deeplearning4j: Yolo2OutputLayer). Its
// input [batch, B·(5 + C), h, w] has, for each cell of a grid of h·w and each of B boxes: the place x, y of the box's
// middle in the cell, its width and height, its confidence, and the scores of C classes. Activations are sigmoid(x),
// sigmoid(y), priorW·exp(w), priorH·exp(h), sigmoid(confidence) and the softmax of the classes; lengths are in cells.
//
// Labels are [batch, 4 + C, h, w]. The cell that holds the middle of an object has the corners x1, y1 (top left) and
// x2, y2 of its box, in cells from the image's corner, and its class, one-hot. Other cells are zeros. Of a cell's
// boxes, the one that overlaps most with the label's box, by intersection over union (IOU), belongs to the object. The
// sums are over these boxes, except for the last one, which is over all other boxes. The loss of an example is
//
//	LambdaCoord·Σ (PositionLoss(x, y) + PositionLoss(√w, √h)) + Σ ClassLoss(classes) + Σ (IOU − confidence)² +
//	  LambdaNoObj·Σ confidence²
type Yolo2Output struct {
	Bare
	LambdaCoord  float64   `dl4j:"lambdaCoord"` // 5 in NewYolo2Output, and if a literal leaves it out
	LambdaNoObj  float64   `dl4j:"lambdaNoObj"` // 0.5 in NewYolo2Output, and if a literal leaves it out
	PositionLoss loss.Loss `dl4j:"lossPositionScale"`
	// ClassLoss compares the softmax of the classes. Both losses are L2 if they are nil.
	ClassLoss loss.Loss `dl4j:"lossClassPredictions"`
	Boxes     BoxPriors `dl4j:"boundingBoxes"`
	Format    string    `dl4j:"format"` // NCHW or NHWC; by default, that of the input type

	meant bool // see package literal
}

// BoxPriors holds typical widths and heights of boxes, in cells of the grid.
type BoxPriors struct {
	DataType string    `dl4j:"dataType,creator"` // of the array in files
	Shape    []int     `dl4j:"shape,creator"`    // [boxes, 2]
	Data     []float64 `dl4j:"data,creator"`     // width and height of each box
}

// NewYolo2Output returns a layer with Deeplearning4j's defaults. Each prior is the width and the height of a box.
func NewYolo2Output(priors ...[2]float64) Yolo2Output {
	l := Yolo2Output{meant: true, LambdaCoord: 5, LambdaNoObj: 0.5,
		Boxes: BoxPriors{DataType: "DOUBLE", Shape: []int{len(priors), 2}}}
	for _, p := range priors {
		l.Boxes.Data = append(l.Boxes.Data, p[0], p[1])
	}
	return l
}

// Complete fills in settings that are left open.
func (l Yolo2Output) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	if l.GradientNormalizationThreshold == 0 && !d.FromFile {
		l.GradientNormalizationThreshold = 1
	}
	literal.Fill(&l.meant, d.FromFile, literal.Usually(&l.LambdaCoord, 5), literal.Usually(&l.LambdaNoObj, 0.5))
	if l.PositionLoss == nil {
		l.PositionLoss = loss.L2{}
	}
	if l.ClassLoss == nil {
		l.ClassLoss = loss.L2{}
	}
	for name, x := range map[string]float64{"lambdaCoord": l.LambdaCoord, "lambdaNoObj": l.LambdaNoObj} {
		if !(x >= 0) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%s is %g: it must be a number of at least 0", name, x)
		}
	}
	s := l.Boxes.Shape
	if len(s) != 2 || s[0] < 1 || s[1] != 2 || s[0] != len(l.Boxes.Data)/2 || len(l.Boxes.Data)%2 != 0 {
		return nil,
			fmt.Errorf("boundingBoxes of shape %v with %d numbers: they must be [boxes, 2], a width and a height for each box",
				s, len(l.Boxes.Data))
	}
	for _, x := range l.Boxes.Data {
		if !(x > 0) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("boundingBoxes hold %g: widths and heights must be positive", x)
		}
	}
	l.Format = imageFormat(l.Format, d, in)
	if err := checkFormat(l.Format); err != nil {
		return nil, err
	}
	if err := l.PositionLoss.Validate(2, activation.Identity{}); err != nil {
		return nil, fmt.Errorf("lossPositionScale: %w", err)
	}
	if l.PositionLoss.Labels(2) != 2 || l.ClassLoss.Labels(2) != 2 {
		return nil,
			fmt.Errorf("lossPositionScale and lossClassPredictions compare values: a loss that takes class numbers does not fit")
	}
	if t, err := Single(in); err != nil || t.Kind == inputtype.Unknown {
		return l, err
	}
	t, err := l.OutputType(in)
	if err != nil {
		return nil, err
	}
	if err := l.ClassLoss.Validate(l.classes(t), activation.Softmax{}); err != nil {
		return nil, fmt.Errorf("lossClassPredictions: %w", err)
	}
	return l, nil
}

// classes is C.
func (l Yolo2Output) classes(t inputtype.Type) int { return t.Channels/l.Boxes.Shape[0] - 5 }

// MeansScore marks the layer as a [MeanScorer].
func (Yolo2Output) MeansScore() {}

var _ MeanScorer = Yolo2Output{}

// CheckLoss returns nil: the layer has its own activations.
func (l Yolo2Output) CheckLoss() error { return nil }

// Preprocessor restores the shape of flat images.
func (l Yolo2Output) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is the type of the input.
func (l Yolo2Output) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, 0, l.Format)
	if b := l.Boxes.Shape[0]; err == nil && (t.Channels%b != 0 || t.Channels/b < 6) {
		err = fmt.Errorf("takes %d·(5 + classes) channels for its %d boxes, got %v; set nOut of the layer before it", b, b, t)
	}
	return t, err
}

// LabelShape is [batch, 4 + C, h, w], or [batch, h, w, 4 + C] in format NHWC.
func (l Yolo2Output) LabelShape(out inputtype.Type, batch int) tensor.Shape {
	out.Channels = 4 + l.classes(out)
	return out.Shape(batch)
}

// parts splits the input [batch, B, 5 + C, h, w] into places, sizes, confidences and classes, before their
// activations.
func (l Yolo2Output) parts(c *Context, in Activation) (xy, wh, confidence, classes *program.Value, t inputtype.Type) {
	t, _ = l.OutputType([]inputtype.Type{in.Type})
	b := l.Boxes.Shape[0]
	x := channelsFirst(c, in.Value, t.ChannelsLast)
	n := t.Channels / b
	x = c.Reshape(x, x.Shape[0], b, n, t.Height, t.Width)
	return c.Slice(x, 2, 0, 2), c.Slice(x, 2, 2, 4), c.Slice(x, 2, 4, 5), c.Slice(x, 2, 5, n), t
}

// priors applies f to each prior: [B, 2, 1, 1].
func (l Yolo2Output) priors(c *Context, f func(float64) float64) *program.Value {
	data := make([]float64, len(l.Boxes.Data))
	for i, x := range l.Boxes.Data {
		data[i] = f(x)
	}
	return c.Const(data, l.Boxes.Shape[0], 2, 1, 1)
}

// Forward emits the activations.
func (l Yolo2Output) Forward(c *Context, in []Activation) Activation {
	xy, wh, confidence, classes, t := l.parts(c, in[0])
	wh = c.Mul(c.Unary(program.Exp, wh), l.priors(c, func(x float64) float64 { return x }))
	y := c.Concat(2, c.Unary(program.Sigmoid, xy), wh, c.Unary(program.Sigmoid, confidence),
		c.Apply(program.Softmax{Dim: 2}, classes))
	y = c.Reshape(y, y.Shape[0], t.Channels, t.Height, t.Width)
	return Activation{channelsLast(c, y, t.ChannelsLast), in[0].Mask, t}
}

// Score emits the loss of each box of each cell.
func (l Yolo2Output) Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value {
	if mask != nil {
		panic(&program.ShapeError{Op: "loss of boxes", Shapes: []tensor.Shape{mask.Shape},
			Reason: "it takes no label mask: cells whose labels are 0 have no object"})
	}
	xy, wh, confidence, classes, t := l.parts(c, in[0])
	y := channelsFirst(c, labels, t.ChannelsLast)
	y = c.Reshape(y, y.Shape[0], 1, y.Shape[1], t.Height, t.Width)
	topLeft, bottomRight, class := c.Slice(y, 2, 0, 2), c.Slice(y, 2, 2, 4), c.Slice(y, 2, 4, y.Shape[2])
	total := c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(2), Keep: true}, class)
	present := c.Sub(c.Fill(1), c.Binary(program.Equal, total, c.Fill(0)))

	xy = c.Unary(program.Sigmoid, xy)
	root := c.Mul(c.Unary(program.Exp, c.Mul(wh, c.Fill(0.5))), l.priors(c, math.Sqrt)) // of width and height
	confidence = c.Unary(program.Sigmoid, confidence)
	overlap := overlaps(c, xy, c.Unary(program.Square, root), topLeft, bottomRight, present)
	own := c.Mul(largest(c, c.StopGradient(overlap)), present)

	middle := c.Mul(c.Add(topLeft, bottomRight), c.Fill(0.5))
	middle = c.Sub(middle, c.Unary(program.Floor, middle))
	size := c.Unary(program.Sqrt, c.Sub(bottomRight, topLeft))
	rows := func(v *program.Value) *program.Value { // of each box of each cell
		v = c.BroadcastTo(v, v.Shape[0], len(l.Boxes.Data)/2, v.Shape[2], t.Height, t.Width)
		n := v.Shape[2]
		return c.Reshape(c.Transpose(v, 0, 1, 3, 4, 2), v.Shape.Size()/max(1, n), n)
	}
	of := func(f loss.Loss, a activation.Activation, label, z, mask *program.Value) *program.Value {
		return f.Rows(c.Builder, rows(label), rows(z), a, rows(mask))
	}
	id := activation.Identity{}
	e := c.Add(of(l.PositionLoss, id, middle, xy, own), of(l.PositionLoss, id, size, root, own))
	e = c.Add(c.Mul(e, c.Fill(l.LambdaCoord)), of(l.ClassLoss, activation.Softmax{}, class, classes, own))
	overlap = c.Mul(overlap, own)
	e = c.Add(e, of(loss.L2{}, id, overlap, confidence, own))
	none := of(loss.L2{}, id, overlap, confidence, c.Sub(c.Fill(1), own))
	return c.Add(e, c.Mul(none, c.Fill(l.LambdaNoObj)))
}

// overlaps returns the IOU [batch, B, 1, h, w] of boxes with the labels' boxes. The boxes' middles xy are relative to
// their cells.
func overlaps(c *Context, xy, wh, topLeft, bottomRight, present *program.Value) *program.Value {
	h, w := xy.Shape[3], xy.Shape[4]
	grid := make([]float64, 2*h*w)
	for i := range h * w {
		grid[i], grid[h*w+i] = float64(i%w), float64(i/w)
	}
	area := func(v *program.Value) *program.Value { return c.Mul(c.Slice(v, 2, 0, 1), c.Slice(v, 2, 1, 2)) }
	xy, half := c.Add(xy, c.Const(grid, 2, h, w)), c.Mul(wh, c.Fill(0.5))
	from, to := c.Sub(xy, half), c.Add(xy, half)
	meet := area(c.Mul(c.Binary(program.Greater, to, topLeft), c.Binary(program.Greater, bottomRight, from)))
	meet = c.Mul(meet, present)
	common := c.Select(meet, area(c.Sub(c.Min(to, bottomRight), c.Max(from, topLeft))), c.Fill(0))
	union := c.Sub(c.Add(area(wh), area(c.Sub(bottomRight, topLeft))), common)
	return c.Div(common, c.Select(meet, union, c.Fill(1)))
}

// largest is 1 for the first of the largest elements along dimension 1, and 0 for the others.
func largest(c *Context, v *program.Value) *program.Value {
	n := v.Shape[1]
	best := c.Slice(v, 1, 0, 1)
	at := c.Fill(0, best.Shape...)
	for i := 1; i < n; i++ {
		x := c.Slice(v, 1, i, i+1)
		at = c.Select(c.Binary(program.Greater, x, best), c.Fill(float64(i)), at)
		best = c.Max(x, best)
	}
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	return c.Binary(program.Equal, at, c.Const(numbers, n, 1, 1, 1))
}
