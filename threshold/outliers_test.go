package threshold

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOutliers checks that values far above the mean of those that pass move almost whole in one step, and exactly as
// far as the residual says.
func TestOutliers(t *testing.T) {
	const n = block + 1000
	r := rand.New(rand.NewPCG(21, 22))
	for _, powers := range []bool{false, true} {
		e, u := encoder(t, NewCoder(1), n, Largest{Share: 0.1}, nil,
			Options{Mean: true, Powers: powers, Layers: []int{100, n}}), make([]float32, n)
		for i := range u {
			u[i] = float32(r.NormFloat64())
		}
		large := map[int]float32{150: 40, 5000: -100, block + 7: 3000, n - 1: -17}
		for i, v := range large {
			u[i] = v
		}
		m, err := e.Encode(0, 0, u)
		if err != nil {
			t.Fatal(err)
		}
		by := m.Sections[1].Magnitude
		moved := make([]float32, n)
		if err := e.coder.SubtractAll([]*Message{e.Outliers(), m}, moved); err != nil {
			t.Fatal(err)
		}
		for i, v := range large {
			if rest := max(e.Residual()[i], -e.Residual()[i]); rest > 0.45*max(v, -v) {
				t.Errorf("of %g, %g waits; the magnitude is %g", v, rest, by)
			}
		}
		for i, v := range e.Residual() {
			if diff := u[i] - v + moved[i]; max(diff, -diff) > 1e-5*max(1, u[i], -u[i]) {
				t.Fatalf("parameter %d: of %g, %g is sent and %g waits", i, u[i], -moved[i], v)
			}
		}
	}
	e := encoder(t, NewCoder(1), 3, Fixed{T: 1}, nil, Options{Layers: []int{3}})
	if _, err := e.Encode(0, 0, []float32{1, 50, -2}); err != nil || e.Outliers().Form != Empty {
		t.Errorf("± the threshold has outliers: %+v (%v)", e.Outliers(), err)
	}
}

// TestDeviceSendsAllOutliers checks that no outlier of a block waits because there are many, with a device or without
// one.
func TestDeviceSendsAllOutliers(t *testing.T) {
	const n = block + 100
	here, there := newPair(t, deviceExecutor(t), n, Fixed{T: 0.5}, nil, Options{Mean: true})
	u, want := make([]float32, n), 0
	for i := range u {
		if u[i] = 1; i%6 == 0 {
			u[i], want = -5, want+1
		}
	}
	there.device.Device.(*besides).setUpdate(u)
	if _, err := here.Encode(0, 0, u); err != nil {
		t.Fatal(err)
	}
	if _, err := there.EncodeOnDevice(0, 0, 1); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*Encoder{here, there} {
		if m := e.Outliers(); m.Validate() != nil || m.Count != want || m.Count <= room {
			t.Errorf("%d outliers of %d (%v)", m.Count, want, m.Validate())
		}
	}
	if !slices.Equal(here.Residual(), there.Residual()) {
		t.Error("other residuals")
	}
}

// TestNearestPower checks the roundings of outliers.
func TestNearestPower(t *testing.T) {
	for ratio, want := range map[float32]int32{1: 1, 1.4: 1, 1.5: 2, 2.8: 2, 2.9: 4, 1000: 1024, 1e9: 1024} {
		if got := nearestPower(3*ratio, 3); got != want {
			t.Errorf("next to %g is %d, not %d", ratio, got, want)
		}
	}
}
