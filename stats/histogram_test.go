package stats

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHistogramOf: values are counted in bins of equal width, and those that are not finite are left out. Of many
// values a sample from all parts is counted.
func TestHistogramOf(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	h, ok := HistogramOf("parameters/0_W", 50, []float32{nan, -1, inf, 0, 2, 2, -inf})
	if want := (Histogram{"parameters/0_W", 50, -1, 2, slices.Concat([]int{1}, make([]int, 9), []int{1},
		make([]int, 18), []int{2})}); !ok || h.Low != want.Low || h.High != want.High ||
		!slices.Equal(h.Counts, want.Counts) {
		t.Errorf("%+v", h)
	}
	if h, ok := HistogramOf("b", 1, []float32{0, 0}); !ok || h.Low != 0 || h.High != 0 || h.Counts[0] != 2 {
		t.Errorf("of equal values %+v", h)
	}
	for _, none := range [][]float32{nil, {nan, inf}} {
		if h, ok := HistogramOf("b", 1, none); ok {
			t.Errorf("of no values %+v", h)
		}
	}
	const rows, columns = 3000, 30 // the sample must not be from some columns only
	v := make([]float32, rows*columns)
	for i := range v {
		v[i] = float32(i % columns)
	}
	h, ok = HistogramOf("W", 1, v)
	if n := h.total(); !ok || n < 3500 || n > 4000 || slices.Min(h.Counts) < n/columns*9/10 {
		t.Errorf("of columns %+v", h)
	}
}

// TestSpread: a histogram is transferred to other bins as if its values were evenly spread in theirs; quantiles agree.
func TestSpread(t *testing.T) {
	h := Histogram{Low: 0, High: 30, Counts: make([]int, HistogramBins)}
	for i := range h.Counts {
		h.Counts[i] = 10
	}
	bins := make([]float64, 4)
	h.spread(0, 40, bins)
	if !slices.Equal(bins, []float64{100, 100, 100, 0}) {
		t.Errorf("spread to %v", bins)
	}
	clear(bins)
	h.spread(12.5, 16.5, bins)
	if sum := bins[0] + bins[1] + bins[2] + bins[3]; sum != 300 || bins[1] != 10 || bins[2] != 10 {
		t.Errorf("what is beyond is in the outer bins: %v", bins)
	}
	for share, want := range map[float64]float64{0: 0, 0.25: 7.5, 0.5: 15, 1: 30} {
		if got := h.quantile(share); got != want {
			t.Errorf("quantile %v is %v, not %v", share, got, want)
		}
	}
}

// TestHistogramsOfWorkers: the histograms of several workers at one step are merged. They are limited and evenly
// thinned, resumed, and the same in JSON.
func TestHistogramsOfWorkers(t *testing.T) {
	var all Record
	for worker := range 2 {
		c := New("partition")
		for at := 0; at < 5000; at += 50 {
			h, _ := HistogramOf("gradients/0_W", at, []float32{float32(worker), float32(worker) + 1})
			c.MeasureHistogram(h)
		}
		all = append(all, c.Record()...)
	}
	for n := range all {
		all[:n].read()
	}
	master := New("master")
	if err := master.AddRecord(all); err != nil {
		t.Fatal(err)
	}
	r := NewRecorder(time.Now(), Run{}, 0)
	r.AddHistograms(master.Histograms())
	got := r.Histograms()
	if len(got) < mostHistograms/2 || len(got) > mostHistograms || got[0].Iteration != 0 ||
		got[1].Iteration != 100 || got[0].Low != 0 || got[0].High != 2 || got[0].total() != 4 {
		t.Fatalf("%d histograms, %+v", len(got), got[0])
	}
	resumed := NewRecorder(time.Now(), Run{Histograms: got}, 1000)
	if kept := resumed.Histograms(); len(kept) != 11 || kept[10].Iteration != 1000 {
		t.Errorf("%d histograms of an earlier part", len(kept))
	}
	text := written(t, Run{Histograms: got, Events: []Event{}})
	read, err := ReadJSON(bytes.NewReader(text))
	if err != nil || len(read.Histograms) != len(got) || !slices.Equal(read.Histograms[3].Counts, got[3].Counts) {
		t.Errorf("read %d of %d: %v", len(read.Histograms), len(got), err)
	}
	for old, bad := range map[string]string{`"low":0`: `"low":9`, `"counts":[`: `"counts":[-`, `"iteration":0`: `"iteration":-1`,
		`"name":"g`: `"n":"g`} {
		if _, err := ReadJSON(strings.NewReader(strings.Replace(string(text), old, bad, 1))); err == nil ||
			!strings.Contains(err.Error(), "histograms[0]") {
			t.Errorf("with %s: %v", bad, err)
		}
	}
}

// TestHeatMaps: the page has a section for each kind, and a chart for each name, escaped, with its quantiles for the
// arrow keys; biases that are all 0 at first have one, too.
func TestHeatMaps(t *testing.T) {
	run := Run{Title: "run", Series: []Series{{Name: "loss", Iterations: []int{1}, Since: []time.Duration{0},
		Values: []float64{1}}}}
	for _, name := range []string{"parameters/<b>_W", "parameters/0_b", "activations/0"} {
		for at := range 3 {
			h, _ := HistogramOf(name, 50*at, []float32{0, 0, float32(at), -float32(at)})
			run.Histograms = append(run.Histograms, h)
		}
	}
	for i := range mostLines + 3 {
		h, _ := HistogramOf("updates/"+string(rune('a'+i)), 1, []float32{1, 2})
		run.Histograms = append(run.Histograms, h)
	}
	var b bytes.Buffer
	if err := (Frame{}).WriteRun(&b, &run); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"Parameters of &lt;b&gt;_W", "Parameters of 0_b", "Activations of 0",
		"<summary>Updates</summary>", "3 more are", `data-label="median"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, `class="heat"`); n != 3+mostLines || strings.Contains(page, "Gradients of") {
		t.Errorf("%d heat maps", n)
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf ") {
		t.Error("a number of the page is none")
	}
}
