package modelfile

import (
	"bytes"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
)

// fitBatch is the number of examples in a batch when a normalizer is fitted to a source of single examples.
const fitBatch = 256

// FitNormalizer puts a normalizer into the network, whose model file keeps it. A [data.Fitter] is fitted to the
// source's examples first.
func FitNormalizer(net *nn.Network, n data.Normalizer, s source.Source) error {
	if f, ok := n.(data.Fitter); ok {
		batch := 0
		if s.Objects() == s.Info().Examples {
			batch = fitBatch
		}
		if err := f.Fit(source.Batches(s, batch)); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := data.WriteNormalizer(&b, n); err != nil {
		return err
	}
	net.SetNormalizer(b.Bytes())
	return nil
}

// NormalizerOf reads the normalizer in a network's model file; it returns nil if there is none.
func NormalizerOf(net *nn.Network) (data.Normalizer, error) {
	b := net.Normalizer()
	if b == nil {
		return nil, nil
	}
	n, err := data.ReadNormalizer(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("normalizer.bin: %w", err)
	}
	return n, nil
}
