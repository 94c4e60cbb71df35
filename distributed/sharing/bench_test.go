package sharing

import (
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/threshold"
)

// updatesOf returns payloads of workers for an MLP 784-500-10, as the default algorithm encodes them.
func updatesOf(b testing.TB, workers int, summed, dense bool) (params int, payloads [][]byte) {
	layers := []int{392_500, 397_510}
	params = layers[1]
	c, r := threshold.NewCoder(1), rand.New(rand.NewPCG(1, 2))
	u := make([]float32, params)
	for range workers {
		e, err := threshold.NewEncoder(c, params, DefaultAlgorithm(), nil,
			threshold.Options{Mean: true, Powers: summed, Layers: layers})
		if err != nil {
			b.Fatal(err)
		}
		for i := range u {
			u[i] = float32(r.NormFloat64())
		}
		m, err := e.Encode(0, 0, u)
		if err != nil {
			b.Fatal(err)
		}
		w := &writer{coder: c, dense: dense}
		w.append(m)
		if o := e.Outliers(); o.Form != threshold.Empty {
			w.append(o)
		}
		payloads = append(payloads, w.take())
	}
	return params, payloads
}

// releasing returns a reference with so many threads, and the payloads of a release.
func releasing(b testing.TB, workers, threads int, coding Coding) (*reference, [][]byte) {
	summed, dense := workers >= manyWorkers, coding == DenseCoding
	params, payloads := updatesOf(b, workers, summed, dense)
	r, err := newReference(twin{Params: params, Kernels: kernel.Best().String(), Summed: summed, Dense: dense})
	if err != nil {
		b.Fatal(err)
	}
	r.coder, r.decoder.threads = threshold.NewCoder(threads), threads
	if summed {
		r.release.sum, r.release.writer.coder = threshold.NewSum(r.coder, params), r.coder
	}
	b.Cleanup(r.Close)
	if err := r.Install(make([]byte, 4*params)); err != nil {
		b.Fatal(err)
	}
	return r, payloads
}
