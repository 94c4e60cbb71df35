package regularization

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

func dropoutMoments(x []float32) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	return mean, variance
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !near.Equal(got, want, tolerance, 0) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// Of ones: means, variances, and the factors of the gradient.
func TestDistributionsOfDropouts(t *testing.T) {
	const n = 1 << 16
	y, dx := applyDropout(t, GaussianDropout{}, 0.2, 3, n)
	mean, variance := dropoutMoments(y)
	within(t, "GaussianDropout's mean", mean, 1, 0.01)
	within(t, "GaussianDropout's variance", variance, 0.25, 0.01)
	for i := range y {
		if y[i] != dx[i] {
			t.Fatalf("GaussianDropout: element %d becomes %g, its gradient %g", i, y[i], dx[i])
		}
	}
	y, dx = applyDropout(t, GaussianNoise{}, 0.3, 4, n)
	mean, variance = dropoutMoments(y)
	within(t, "GaussianNoise's mean", mean, 1, 0.01)
	within(t, "GaussianNoise's variance", variance, 0.09, 0.005)
	// The fractions beyond 1, 2, 3 and 4 standard deviations are those of a normal distribution.
	for k, want := range []float64{1: 0.317311, 2: 0.0455003, 3: 0.0026998, 4: 6.334e-5} {
		beyond := 0.0
		for i, v := range y {
			if dx[i] != 1 {
				t.Fatalf("GaussianNoise: the gradient of element %d is %g", i, dx[i])
			}
			if !near.Equal(float64(v), 1, 0.3*float64(k), 0) {
				beyond += 1.0 / n
			}
		}
		if k > 0 {
			within(t, "GaussianNoise's part beyond", beyond, want, 5*math.Sqrt(want/n))
		}
	}
	const p = 0.7
	a := NewAlphaDropout(p)
	low := -a.Alpha * a.Lambda
	scale := 1 / math.Sqrt(p+low*low*p*(1-p))
	kept := 0.0
	y, dx = applyDropout(t, a, p, 5, n)
	for i, v := range y {
		want := scale*low - scale*(1-p)*low
		if dx[i] != 0 {
			kept += 1.0 / n
			want = scale - scale*(1-p)*low
			within(t, "AlphaDropout's gradient", float64(dx[i]), scale, 1e-6)
		}
		if !near.Equal(float64(v), want, 1e-5, 0) {
			t.Fatalf("AlphaDropout: element %d becomes %g, want %g", i, v, want)
		}
	}
	within(t, "AlphaDropout keeps", kept, p, 0.01)
}

// Whole channels are dropped, separately for each example.
func TestSpatialDropout(t *testing.T) {
	const batch, channels, pixels, p = 200, 30, 6, 0.6
	b := program.NewBuilder()
	x, v := b.Fill(1, batch, channels, 2, 3), b.Input("p")
	b.Output("y", SpatialDropout{}.Emit(b, x, v, 9))
	e, err := naive.Compile[float32](b.Build())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Run(&naive.Bindings[float32]{Inputs: [][]float32{{p}}}); err != nil {
		t.Fatal(err)
	}
	kept := 0.0
	for c := range batch * channels {
		plane := e.Output(0)[c*pixels : (c+1)*pixels]
		for _, v := range plane {
			if v != plane[0] || v != 0 && !near.Equal(float64(v)*p, 1, 1e-6, 0) {
				t.Fatalf("channel %d becomes %v", c, plane)
			}
		}
		if plane[0] != 0 {
			kept += 1.0 / (batch * channels)
		}
	}
	within(t, "SpatialDropout keeps", kept, p, 0.03)
	if err := program.Try(func() { SpatialDropout{P: 1}.Emit(b, b.Fill(1, 4, 5), v, 1) }); err == nil ||
		!strings.Contains(err.Error(), "vectors") {
		t.Errorf("vectors: %v", err)
	}
}

func TestRelativesReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/dropouts.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Dropout
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 8 {
		t.Errorf("%d objects", len(list))
	}
	for _, d := range list {
		if err := d.Validate(); err != nil {
			t.Error(err)
		}
		if v := d.Value(0, 0); !(v > 0 && v < 1) {
			t.Errorf("%+v has the value %g", d, v)
		}
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
}

func TestInvalidDropouts(t *testing.T) {
	bad := updater.StepSchedule{Type: updater.Epoch}
	for want, d := range map[string]Dropout{
		"AlphaDropout: p is 0,":          NewAlphaDropout(0),
		"AlphaDropout: alpha NaN":        AlphaDropout{Alpha: math.NaN(), P: 0.5},
		"AlphaDropout: StepSchedule:":    AlphaDropout{PSchedule: bad},
		"SpatialDropout: p is 2,":        SpatialDropout{P: 2},
		"GaussianDropout: rate is 1;":    GaussianDropout{Rate: 1},
		"GaussianDropout: StepSchedule:": GaussianDropout{RateSchedule: bad},
		"GaussianNoise: stddev is -1;":   GaussianNoise{Std: -1},
		"GaussianNoise: StepSchedule:":   GaussianNoise{StdSchedule: bad},
	} {
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", d, err, want)
		}
	}
}
