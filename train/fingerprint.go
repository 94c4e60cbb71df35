package train

import (
	"fmt"
	"hash/crc32"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/tensor"
)

// fingerprint identifies data.
type fingerprint struct {
	Examples int            `json:"examples"`
	Objects  int            `json:"objects"`
	Features []tensor.Shape `json:"features"`
	Labels   []tensor.Shape `json:"labels"`
	Sample   uint32         `json:"sample"` // CRC32C of some examples; 0 if they are not on this machine
	// Weighting is the run's weighting of the examples.
	Weighting data.Weighting `json:"weighting,omitzero"`
}

// sampled is the number of objects that are read.
const sampled = 32

func fingerprintOf(s source.Source) (fingerprint, error) {
	info := s.Info()
	f := fingerprint{Examples: info.Examples, Objects: s.Objects(), Features: info.Features, Labels: info.Labels}
	if _, elsewhere := s.(source.Sampled); elsewhere {
		return f, nil
	}
	var row []byte
	for i := range sampled {
		m, err := s.Object(i * (f.Objects - 1) / (sampled - 1))
		if err != nil {
			return f, err
		}
		row = data.AppendRow(row[:0], m.Slice(0, 1))
		f.Sample = crc32.Update(f.Sample, crc32.MakeTable(crc32.Castagnoli), row)
	}
	return f, nil
}

// differs describes how other data differs; empty if it does not.
func (f fingerprint) differs(o fingerprint) string {
	for _, d := range []struct {
		what string
		a, b any
	}{
		{"%v examples, not %v", f.Examples, o.Examples},
		{"%v files, not %v", f.Objects, o.Objects},
		{"features of shape %v, not %v", f.Features, o.Features},
		{"labels of shape %v, not %v", f.Labels, o.Labels},
		{"other numbers in its examples: checksum %v, not %v", f.Sample, o.Sample},
	} {
		if fmt.Sprint(d.a) != fmt.Sprint(d.b) {
			return fmt.Sprintf(d.what, d.a, d.b)
		}
	}
	return ""
}
