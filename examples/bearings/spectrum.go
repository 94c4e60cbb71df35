package main

import (
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/tensor"
)

// spectrumConfig goes to the workers as JSON.
type spectrumConfig struct{ Bins int }

// spectrum makes of each example its power spectrum in decibels: a row comes in, a row goes out.
var spectrum = engine.Register("bearings.spectrum", func(_ *engine.Task, c spectrumConfig, in engine.Rows,
	out engine.Writer) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		m, err := data.DecodeRow(row.Bytes)
		if err != nil {
			return engine.Permanent(err) // another attempt would not help
		}
		m.Features[0] = tensor.MustOf(decibels(m.Features[0].Data, c.Bins), 1, c.Bins)
		if err := out.Write(engine.Unindexed(data.AppendRow(nil, m))); err != nil {
			return err
		}
	}
	return nil
})

// decibels gives the lowest bins of x's spectrum above that of a constant.
func decibels(x []float32, bins int) []float32 {
	y := make([]float32, bins)
	for k := range y {
		var re, im float64
		for t, v := range x {
			angle := 2 * math.Pi * float64((k+1)*t%len(x)) / float64(len(x))
			window := 1 - math.Cos(2*math.Pi*float64(t)/float64(len(x)))
			re += window * float64(v) * math.Cos(angle)
			im += window * float64(v) * math.Sin(angle)
		}
		y[k] = float32(math.Log10(1e-3 + re*re + im*im))
	}
	return y
}
