package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// sameInAnyBatch makes 32 examples from the given 4. It compares their outputs and losses with those in batches of 1,
// 2, 7 and 8 examples, bit for bit. The batches of a size begin at even and at odd examples. varied says
// whether the examples' features may be any numbers.
func sameInAnyBatch(any AnyNetwork, of *data.MultiDataSet, varied, scored bool) error {
	net := any.Base()
	var parts []*data.MultiDataSet
	for k := range 32 / of.Examples() {
		part := of.Clone()
		for _, f := range part.Features {
			for i := range f.Data {
				if varied {
					f.Data[i] *= 1 + float32(k)/8
				}
			}
		}
		parts = append(parts, part)
	}
	all, err := data.Merge(parts)
	if err != nil {
		return err
	}
	type result struct {
		outputs *data.MultiDataSet
		losses  []float64
	}
	run := func(m *data.MultiDataSet) (r result, err error) {
		var out []*tensor.Dense
		if out, err = net.Output(&data.MultiDataSet{Features: m.Features, FeatureMasks: m.FeatureMasks}, false); err != nil {
			return r, err
		}
		r.outputs = &data.MultiDataSet{Features: m.Features, Labels: out}
		if !scored {
			return r, nil
		}
		if r.losses, err = net.ScoreExamples(m, false); err != nil {
			return r, err
		}
		both, losses, err := net.OutputAndScores(m)
		if err != nil {
			return r, err
		}
		if !slices.Equal(losses, r.losses) && !slices.ContainsFunc(losses, math.IsNaN) {
			return r, fmt.Errorf("losses beside outputs are %v, alone %v", losses, r.losses)
		}
		if m.LabelMasks == nil && !equalBits(both[0].Data, out[0].Data) {
			return r, errors.New("outputs beside losses are others than alone")
		}
		return r, nil
	}
	want, err := run(all)
	if err != nil {
		return err
	}
	sizes, step := []int{1, 2, 7, 8}, 7
	if testing.Short() {
		sizes, step = []int{1, 7}, 17
	}
	for _, n := range sizes {
		for from := 0; from+n <= all.Examples(); from += max(n|1, step) {
			to := from + n
			got, err := run(all.Slice(from, to))
			if err != nil {
				return err
			}
			for i, o := range want.outputs.Slice(from, to).Labels {
				if !equalBits(got.outputs.Labels[i].Data, o.Data) {
					return fmt.Errorf("outputs of the examples %d to %d are others in a batch of their own", from, to-1)
				}
			}
			if scored && !slices.EqualFunc(got.losses, want.losses[from:to],
				func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
				return fmt.Errorf("losses of the examples %d to %d are %v in a batch of their own, %v among others", from, to-1,
					got.losses, want.losses[from:to])
			}
		}
	}
	return nil
}

// TestRowsDoNotDependOnTheBatch: for each layer, the result of an example does not depend on the other examples of its
// batch, with few columns and with 200.
func TestRowsDoNotDependOnTheBatch(t *testing.T) {
	for name, cases := range gradientCases() {
		for i, c := range cases {
			for _, wide := range []int{0, 200} {
				c.wide = wide
				for _, masks := range []string{noMask, featureMask, labelMask} {
					if masks != noMask && wide > 0 {
						continue
					}
					net, m, err := c.network(masks)
					if err != nil && wide > 0 {
						continue // its own columns are set
					}
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					_, ocnn := c.layer.(layer.OCNNOutput) // its documentation says that its score depends on the batch
					err = sameInAnyBatch(net, m, c.features == nil, !ocnn)
					var shape *program.ShapeError
					if err != nil && !(masks != noMask && errors.As(err, &shape)) {
						t.Errorf("%s, case %d, %d columns, %s: %v", name, i, wide, masks, err)
					}
				}
			}
		}
	}
}

// TestLossesDoNotDependOnTheBatch: the same for each loss.
func TestLossesDoNotDependOnTheBatch(t *testing.T) {
	for name, cases := range lossCases() {
		for _, c := range cases {
			for _, columns := range []int{3, 200} {
				switch l := c.loss.(type) {
				case loss.FMeasure: // its score depends on the batch, as documented
					continue
				case loss.MixtureDensity:
					l.LabelWidth = columns/2 - 2 + columns%2*3
					c.loss, c.outputs = l, l.Mixtures*(l.LabelWidth+2)
				default:
					c.outputs = columns
				}
				for _, act := range c.activations {
					for _, kind := range []string{"vectors", "sequences", "images"} {
						for _, masks := range []string{noMask, labelMask, outputMask} {
							if masks != noMask && loss.MeansSteps(c.loss) {
								continue // its score depends on the batch, as documented
							}
							net, m, err := c.network(act, kind, masks)
							if err != nil && columns == 200 {
								continue // weights for three columns
							}
							if err == nil {
								err = sameInAnyBatch(net, m, true, true)
							}
							refused, _ := c.apart(act, kind, masks)
							if err != nil && !refused {
								t.Errorf("%s, %T, %d columns, %s, %s: %v", name, act, columns, kind, masks, err)
							}
						}
					}
				}
			}
		}
	}
}

// TestVerticesDoNotDependOnTheBatch: the same for each vertex.
func TestVerticesDoNotDependOnTheBatch(t *testing.T) {
	for name, cases := range vertexCases() {
		for i, c := range cases {
			for _, columns := range []int{4, 200} {
				for _, masks := range []string{noMask, featureMask, labelMask} {
					if slices.Contains(c.refuses, masks) {
						continue
					}
					g, m, err := c.network(masks, columns)
					if err != nil && columns > 4 {
						continue // its own columns are set
					}
					if err == nil {
						err = sameInAnyBatch(g, m, true, true)
					}
					var shape *program.ShapeError
					if columns > 4 && errors.As(err, &shape) {
						continue // the vertex makes rows of them
					}
					if err != nil {
						t.Errorf("%s, case %d, %d columns, %s: %v", name, i, columns, masks, err)
					}
				}
			}
		}
	}
}

// TestPixelsAreNoBias: a graph adds the results of two convolutions. Each result is one pixel, which has the shape of
// a bias if the batch is one example.
func TestPixelsAreNoBias(t *testing.T) {
	in := inputtype.Convolutional(3, 3, 40)
	convolution := func(name string) GraphVertex {
		return GraphVertex{Name: name, Inputs: []string{"x"},
			Layer: layer.Convolution2D{NOut: 50, Kernel: [2]int{3, 3}, NoBias: true,
				Activation: activation.Identity{}}}
	}
	g := newGraph(t, GraphConfiguration{Inputs: []string{"x"}, InputTypes: []inputtype.Type{in}, Outputs: []string{"out"},
		Vertices: []GraphVertex{convolution("a"), convolution("b"),
			point("sum", vertex.ElementWise{Op: vertex.Add}, "a", "b"),
			{Name: "out", Inputs: []string{"sum"}, Layer: layer.Activate{Activation: activation.Identity{}}}}})
	m := &data.MultiDataSet{Features: []*tensor.Dense{normals(3, in.Shape(8)...)}}
	want := must(g.Output(m, false))[0]
	for i := range 8 {
		if got := must(g.Output(m.Slice(i, i+1), false))[0]; !equalBits(got.Data, want.Slice(i, i+1).Data) {
			t.Errorf("example %d alone gives something else", i)
		}
	}
}
