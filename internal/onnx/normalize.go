package onnx

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/onnxfile"
)

// normalizer reads the network's normalizer; nil if there is none or if it is left out.
func (e *exporter) normalizer() (data.Normalizer, error) {
	b := e.net.Normalizer()
	if b == nil || e.options.NoNormalizer {
		return nil, nil
	}
	n, err := data.ReadNormalizer(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("the network's normalizer: %w", err)
	}
	return n, nil
}

// normalize adds the normalizer's operations on an input.
func (e *exporter) normalize(i int, f *flow, x input) error {
	n, err := e.normalizer()
	if err != nil || n == nil {
		return err
	}
	e.scope = "normalizer"
	switch n := n.(type) {
	case *data.ImageScaler:
		if n.Features == nil || slices.Contains(n.Features, i) {
			f.name = e.linear(f.name, []scaling{{"Div", []float32{float32(n.MaxPixel)}}, {"Mul",
				[]float32{float32(n.Max - n.Min)}},
				{"Add", []float32{float32(n.Min)}}}, 0)
		}
	case *data.Scaler:
		s, stats, err := statistics(n.Input, n.PerInput, n.Inputs, i)
		if err != nil || s.Kind == data.Unscaled {
			return err
		}
		f.name = e.linear(f.name, scalings(s, stats), len(x.shape))
		if f.mask != "" { // masked steps become 0
			m := e.node("Unsqueeze", []string{f.mask, e.ints(int64(3 - x.timeAxis))})
			present := e.node("Cast", []string{m}, integer("to", int(onnxfile.Bool)))
			f.name = e.node("Where", []string{present, f.name, e.scalar(0)})
		}
	default:
		return fmt.Errorf("the network's normalizer, %T, has no operators in ONNX: leave it out with --no-normalizer", n)
	}
	return nil
}

// revert converts an output back to the scale of the labels.
func (e *exporter) revert(k int, f flow) (string, error) {
	n, err := e.normalizer()
	s, ok := n.(*data.Scaler)
	if err != nil || !ok {
		return f.name, err
	}
	strategy, stats, err := statistics(s.Output, s.PerOutput, s.Outputs, k)
	if err != nil || strategy.Kind == data.Unscaled {
		return f.name, err
	}
	back := scalings(strategy, stats)
	slices.Reverse(back)
	for i := range back {
		back[i].op = map[string]string{"Sub": "Add", "Add": "Sub", "Mul": "Div", "Div": "Mul"}[back[i].op]
	}
	return e.linear(f.name, back, len(f.shapes[0])-1), nil
}

func statistics(all data.ScalerStrategy, per map[int]data.ScalerStrategy, fitted []data.ColumnStatistics, i int,
) (data.ScalerStrategy, data.ColumnStatistics, error) {
	s, ok := per[i]
	if !ok {
		s = all
	}
	if s.Kind == data.Unscaled {
		return s, data.ColumnStatistics{}, nil
	}
	if i >= len(fitted) || fitted[i].First == nil {
		return s, data.ColumnStatistics{}, fmt.Errorf("the normalizer has not been fitted to array %d", i)
	}
	return s, fitted[i], nil
}

// scaling is an operator with a number for each column, or one number for all.
type scaling struct {
	op      string
	columns []float32
}

// scalings returns the steps of a scaler's strategy.
func scalings(s data.ScalerStrategy, stats data.ColumnStatistics) []scaling {
	if s.Kind == data.Standardize {
		return []scaling{{"Sub", stats.First}, {"Div", stats.Second}}
	}
	width := make([]float32, len(stats.First))
	for i := range width {
		width[i] = stats.Second[i] - stats.First[i]
	}
	return []scaling{{"Sub", stats.First}, {"Div", width}, {"Mul", []float32{float32(s.Max - s.Min)}},
		{"Add", []float32{float32(s.Min)}}}
}

// linear writes scalings. Columns are dimension 1 of arrays whose examples have rank extents.
func (e *exporter) linear(x string, list []scaling, rank int) string {
	for _, s := range list {
		if len(s.columns) == 1 && rank == 0 {
			x = e.node(s.op, []string{x, e.reals(s.columns)})
			continue
		}
		dims := append([]int{len(s.columns)}, repeat(1, max(0, rank-1))...)
		x = e.node(s.op, []string{x, e.reals(s.columns, dims...)})
	}
	return x
}
