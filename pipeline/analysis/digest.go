package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
)

// Digest is a t-digest (Dunning and Ertl, "Computing extremely accurate quantiles using t-digests", 2019). It computes
// quantiles from some 100 weighted means. Means at the ends stand for single values. It is the MergingDigest of
// com.tdunning's t-digest 3.2 with the compression 100, whose Java-serialised form is in DataVec's files.
//
// Up to 500 numbers, it has the quantiles of DataVec's digest. With more, DataVec's depend on the order of the rows;
// this one reads the numbers in ascending order, once.
type Digest struct {
	compression float64
	low, high   float64
	total       float64
	centroids   []centroid
}

type centroid struct{ mean, weight float64 }

// compression is DataVec's value.
const compression = 100

// digestPieces is the minimum number of pieces into which a digest splits its numbers before it joins them to
// centroids.
const digestPieces = 1 << 20

// newDigest makes a digest of sorted numbers.
func newDigest(values []weighted) *Digest {
	d := &Digest{compression: compression, low: math.Inf(1), high: math.Inf(-1)}
	total := int64(0)
	for _, w := range values {
		total += w.n
	}
	piece := max(1, total/digestPieces)
	d.join(float64(total), func(yield func(centroid) bool) {
		for _, w := range values {
			for left := w.n; left > 0; left -= piece {
				if !yield(centroid{w.x, float64(min(left, piece))}) {
					return
				}
			}
		}
	})
	return d
}

// join makes centroids from others, in order, with a total weight. It joins neighbours while their weight stays below
// the weight allowed at their quantile.
func (d *Digest) join(total float64, all func(func(centroid) bool)) {
	d.total, d.centroids = total, nil
	scale := d.compression / (math.Pi * total)
	before := 0.0
	for c := range all {
		if n := len(d.centroids); n > 0 {
			last := &d.centroids[n-1]
			weight := last.weight + c.weight
			z, first, end := weight*scale, before/total, (before+weight)/total
			if z*z <= first*(1-first) && z*z <= end*(1-end) {
				last.weight = weight
				last.mean += (c.mean - last.mean) * c.weight / weight
				continue
			}
			before += last.weight
		}
		d.centroids = append(d.centroids, c)
	}
	if n := len(d.centroids); n > 0 {
		d.low, d.high = min(d.low, d.centroids[0].mean), max(d.high, d.centroids[n-1].mean)
	}
}

// Quantile returns the value below which that share of the numbers is; NaN without numbers.
func (d *Digest) Quantile(q float64) float64 {
	switch len(d.centroids) {
	case 0:
		return math.NaN()
	case 1:
		return d.centroids[0].mean
	}
	first, last := d.centroids[0], d.centroids[len(d.centroids)-1]
	index := q * d.total
	if index < first.weight/2 {
		return d.low + 2*index/first.weight*(first.mean-d.low)
	}
	before := first.weight / 2
	for i, c := range d.centroids[:len(d.centroids)-1] {
		next := d.centroids[i+1]
		distance := (c.weight + next.weight) / 2
		if before+distance > index {
			return between(c.mean, before+distance-index, next.mean, index-before)
		}
		before += distance
	}
	after := index - (d.total - last.weight/2)
	return between(last.mean, last.weight/2-after, d.high, after)
}

// between returns the weighted mean of two numbers, which is between them.
func between(a, weightA, b, weightB float64) float64 {
	if a > b {
		a, weightA, b, weightB = b, weightB, a, weightA
	}
	return min(max((a*weightA+b*weightB)/(weightA+weightB), a), b)
}

// MarshalTree returns DataVec's format.
func (d Digest) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "digest", Value: d.serialized()}}, nil
}

// UnmarshalTree reads DataVec's format.
func (d *Digest) UnmarshalTree(tree any) error {
	var form struct {
		Digest string `dl4j:"digest"`
	}
	if err := dl4j.FromTree(tree, &form); err != nil {
		return err
	}
	return d.deserialize(form.Digest)
}

// read restores a digest from its file, joining the numbers that are not joined yet.
func (d *Digest) read(merged, fresh []centroid) {
	all := slices.Concat(merged, fresh)
	slices.SortStableFunc(all, func(a, b centroid) int { return cmp.Compare(a.mean, b.mean) })
	total := 0.0
	for _, c := range all {
		total += c.weight
	}
	if len(fresh) == 0 {
		d.total, d.centroids = total, merged
		return
	}
	d.join(total, slices.Values(all))
}
