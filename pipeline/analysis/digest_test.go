package analysis

import (
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/pipeline"
)

// TestDigestFile: a digest is the same after writing and reading, and has the size that Java expects.
func TestDigestFile(t *testing.T) {
	for _, n := range []int{0, 1, 2, 400, 100_000} {
		d := newDigest(normal(n))
		text := d.serialized()
		if b, _ := base64.StdEncoding.DecodeString(text); len(b) != digestStream {
			t.Errorf("%d numbers: %d bytes, want %d", n, len(b), digestStream)
		}
		var again Digest
		if err := again.deserialize(text); err != nil {
			t.Fatal(err)
		}
		if again.serialized() != text {
			t.Errorf("%d numbers: read again, they differ", n)
		}
		for _, q := range []float64{0, 0.01, 0.3, 0.5, 0.999, 1} {
			if a, b := d.Quantile(q), again.Quantile(q); a != b && !(a != a && b != b) {
				t.Errorf("%d numbers: quantile %g is %g, then %g", n, q, a, b)
			}
		}
	}
}

func normal(n int) (values []weighted) {
	r := rand.New(rand.NewPCG(7, 8))
	for range n {
		values = append(values, weighted{r.NormFloat64(), 1})
	}
	slices.SortFunc(values, func(a, b weighted) int {
		if a.x < b.x {
			return -1
		}
		return 1
	})
	return values
}

// TestDigestIsNear: quantiles of many numbers are near the true ones, by rank.
func TestDigestIsNear(t *testing.T) {
	values := normal(100_000)
	d := newDigest(values)
	if len(d.centroids) >= digestMeans {
		t.Errorf("%d centroids", len(d.centroids))
	}
	for _, q := range []float64{0, 0.001, 0.01, 0.25, 0.5, 0.9, 0.9999, 1} {
		x := d.Quantile(q)
		rank, _ := slices.BinarySearchFunc(values, x, func(w weighted, x float64) int {
			if w.x < x {
				return -1
			}
			return 1
		})
		if !near.Equal(float64(rank)/1e5, q, 0.02*q*(1-q)+2e-4, 0) {
			t.Errorf("quantile %g is %g, which stands at %g", q, x, float64(rank)/1e5)
		}
	}
}

// FuzzDigest: damaged digests are errors, not panics.
func FuzzDigest(f *testing.F) {
	whole, _ := base64.StdEncoding.DecodeString(newDigest(normal(30)).serialized())
	f.Add(whole)
	f.Add(whole[:500])
	for _, at := range []int{5, 60, 150, 400, 430, 500, 530, 570} {
		damaged := slices.Clone(whole)
		damaged[at] ^= 0x55
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d Digest
		if d.deserialize(base64.StdEncoding.EncodeToString(b)) == nil {
			d.Quantile(0.3)
			d.serialized()
		}
	})
}

// FuzzDataAnalysis: damaged files are errors. An analysis that was read can be printed and written.
func FuzzDataAnalysis(f *testing.F) {
	a := NewAnalyzer(&pipeline.Schema{Columns: []pipeline.Column{
		pipeline.DoubleColumn{Name: "x"}, pipeline.StringColumn{Name: "s"}, pipeline.CategoricalColumn{Name: "c"},
	}}, AnalyzeOptions{Buckets: 2})
	if err := a.Add(pipeline.Item{Row: pipeline.Row{
		pipeline.Text("1"), pipeline.Text("one"), pipeline.Text("1"),
	}}); err != nil {
		f.Fatal(err)
	}
	whole, err := a.Analysis().JSON()
	if err != nil {
		f.Fatal(err)
	}
	yaml, err := a.Analysis().YAML()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(yaml)
	f.Add([]byte(`{"schema": {"columns": []}, "columnAnalysis": [null]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ParseDataAnalysis(b)
		if err != nil {
			return
		}
		_ = a.String()
		if _, err := a.JSON(); err != nil {
			t.Error(err)
		}
	})
}
