package datacheck

import (
	"hash/maphash"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/tensor"
)

// The least number of repeated examples, and the least shares of repeated held-out examples and of different training
// examples, for a finding.
const (
	leastRepeated  = 8
	repeatedShare  = 0.5
	differentShare = 0.9
)

// repeated estimates the share of held-out examples that are among the n training examples. trained is a sample of
// these. It returns 0 if the share is less than half, or if training examples repeat each other.
func repeated(trained, held *data.MultiDataSet, n int) float64 {
	seed := maphash.MakeSeed()
	seen := map[uint64]bool{}
	for _, h := range hashes(seed, trained) {
		seen[h] = true
	}
	if float64(len(seen)) < differentShare*float64(trained.Examples()) {
		return 0
	}
	found := 0
	for _, h := range hashes(seed, held) {
		if seen[h] {
			found++
		}
	}
	share := float64(found) / float64(held.Examples()) * float64(n) / float64(trained.Examples())
	if found < leastRepeated || share < repeatedShare {
		return 0
	}
	return min(1, share)
}

// hashes returns a hash of each example's features and labels.
func hashes(seed maphash.Seed, m *data.MultiDataSet) []uint64 {
	out := make([]uint64, m.Examples())
	var b []byte
	for i := range out {
		b = b[:0]
		for _, arrays := range [][]*tensor.Dense{m.Features, m.Labels} {
			for _, a := range arrays {
				if a != nil {
					size := len(a.Data) / len(out)
					b = tensor.AppendBytes(b, a.Data[i*size:(i+1)*size])
				}
			}
		}
		out[i] = maphash.Bytes(seed, b)
	}
	return out
}

// fewestCompared is the number of examples that tell how frequent classes are.
const fewestCompared = 20

// compare looks for a class whose share differs most between training and held-out examples. Shares differ by more
// than a quarter, and more than chance explains.
func (f *Findings) compare(trained, held *data.MultiDataSet, info source.Info) {
	if info.Classes < 2 || trained.Examples() < fewestCompared || held.Examples() < fewestCompared {
		return
	}
	a, b := shares(trained, info.Classes), shares(held, info.Classes)
	most, apart := 0, 0.0
	for k := range a {
		apart += math.Abs(a[k]-b[k]) / 2
		if math.Abs(a[k]-b[k]) > math.Abs(a[most]-b[most]) {
			most = k
		}
	}
	if apart > 0.25+math.Sqrt(float64(info.Classes)/float64(held.Examples())) {
		f.Missing, f.MissingTrained, f.MissingHeld = nameOf(info.LabelNames, most), a[most], b[most]
	}
}

func shares(m *data.MultiDataSet, classes int) []float64 {
	out := make([]float64, classes)
	for i := range m.Examples() {
		if k := rowOf(m, i).class(); k < classes {
			out[k] += 1 / float64(m.Examples())
		}
	}
	return out
}
