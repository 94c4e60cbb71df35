package data

import (
	"math"

	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Augmenter applies an [Augmentation] to minibatches. It has memory for one minibatch. Only one goroutine may use it
// at a time.
type Augmenter struct {
	a      Augmentation
	out    MultiDataSet
	memory []float32 // of the features
	mixed  []float32 // of a mixup
	labels [][]float32
}

// NewAugmenter returns an Augmenter, or nil if a changes nothing. A nil Augmenter is usable, and changes nothing.
func NewAugmenter(a Augmentation) *Augmenter {
	if !a.Changes() {
		return nil
	}
	return &Augmenter{a: a}
}

// The streams of random numbers of a minibatch. Those of its examples follow them.
const (
	mixupStream   = 0xa06_0001
	exampleStream = 0xa06_0002
)

// Apply returns the changed minibatch, which is valid until the next call. m does not change; the result shares the
// arrays that are the same. The key is that of the training step.
func (x *Augmenter) Apply(m *MultiDataSet, key program.Key) (*MultiDataSet, error) {
	if x == nil {
		return m, nil
	}
	if err := x.a.check(m); err != nil {
		return nil, err
	}
	from := m.Features[0]
	x.memory = resized(x.memory, len(from.Data))
	size := from.RowSize()
	for i := range from.Rows() {
		at := key
		at.Example += uint64(i)
		r := random.NewSource(at.Stream(exampleStream))
		x.a.picture(r, x.memory[i*size:(i+1)*size], from.Data[i*size:(i+1)*size])
	}
	x.out = *m
	x.out.Features = append([]*tensor.Dense{{Shape: from.Shape, Data: x.memory}}, m.Features[1:]...)
	if x.a.Mixup > 0 {
		x.mixup(random.NewSource(key.Stream(mixupStream)))
	}
	return &x.out, nil
}

// resized returns memory for n numbers.
func resized(b []float32, n int) []float32 {
	if cap(b) < n {
		return make([]float32, n)
	}
	return b[:n]
}

// picture writes a changed example.
func (a Augmentation) picture(r *random.Source, to, from []float32) {
	// All draws are always made, in this order: an option does not change the random numbers of another one.
	flip, flipVertical := r.Uint64()>>63 == 1, r.Uint64()>>63 == 1
	dx, dy := r.Intn(2*a.Crop+1)-a.Crop, r.Intn(2*a.Crop+1)-a.Crop
	angle, scale := a.radians()*(2*r.Float64()-1), 1+a.Scale*(2*r.Float64()-1)
	brightness, contrast, saturation := a.factor(r), a.factor(r), a.factor(r)
	holeX, holeY := r.Intn(a.Width), r.Intn(a.Height)

	g := geometry{flip: a.Flip && flip, flipVertical: a.FlipVertical && flipVertical, dx: dx, dy: dy,
		width: a.Width, height: a.Height}
	n := a.Width * a.Height
	for c := range a.Channels {
		if a.Rotate == 0 && a.Scale == 0 {
			g.move(to[c*n:(c+1)*n], from[c*n:(c+1)*n])
		} else {
			g.turn(to[c*n:(c+1)*n], from[c*n:(c+1)*n], angle, scale)
		}
	}
	if a.Color > 0 {
		colour(to, a.Channels, brightness, contrast, saturation)
	}
	if a.Cutout > 0 {
		a.cut(to, holeX-a.Cutout/2, holeY-a.Cutout/2)
	}
}

// factor is a change of colour.
func (a Augmentation) factor(r *random.Source) float32 { return float32(1 + a.Color*(2*r.Float64()-1)) }

// cut sets a square to 0.
func (a Augmentation) cut(x []float32, left, top int) {
	for c := range a.Channels {
		for row := max(top, 0); row < min(top+a.Cutout, a.Height); row++ {
			line := x[(c*a.Height+row)*a.Width:][:a.Width]
			from, to := max(left, 0), min(left+a.Cutout, a.Width)
			clear(line[from:max(from, to)])
		}
	}
}

// mixup mixes features and labels with those of other rows.
func (x *Augmenter) mixup(r *random.Source) {
	weight := float32(beta(r, x.a.Mixup))
	partners := random.Permutation(r.Uint64(), x.out.Features[0].Rows())
	x.labels = append(x.labels, make([][]float32, max(0, len(x.out.Labels)-len(x.labels)))...)
	features := &tensor.Dense{Shape: x.out.Features[0].Shape}
	x.mixed = mix(x.mixed, x.out.Features[0], partners, weight)
	features.Data = x.mixed
	others := x.out.Features[1:]
	x.out.Features = []*tensor.Dense{features}
	for _, o := range others {
		x.out.Features = append(x.out.Features, &tensor.Dense{Shape: o.Shape, Data: mix(nil, o, partners, weight)})
	}
	labels := x.out.Labels
	x.out.Labels = make([]*tensor.Dense, len(labels))
	for i, y := range labels {
		x.labels[i] = mix(x.labels[i], y, partners, weight)
		x.out.Labels[i] = &tensor.Dense{Shape: y.Shape, Data: x.labels[i]}
	}
}

// mix returns the weighted sum of each row and its partner.
func mix(to []float32, a *tensor.Dense, partners []int, weight float32) []float32 {
	to = resized(to, len(a.Data))
	n := a.RowSize()
	for i, p := range partners {
		out, one, other := to[i*n:(i+1)*n], a.Data[i*n:(i+1)*n], a.Data[p*n:(p+1)*n]
		for k := range out {
			out[k] = weight*one[k] + (1-weight)*other[k]
		}
	}
	return to
}

// beta draws from Beta(alpha, alpha) by Jöhnk's method. At the largest alpha, 2, it takes 6 tries on average.
func beta(r *random.Source, alpha float64) float64 {
	for {
		u, v := math.Pow(r.Float64(), 1/alpha), math.Pow(r.Float64(), 1/alpha)
		if s := u + v; s > 0 && s <= 1 {
			return u / s
		}
	}
}
