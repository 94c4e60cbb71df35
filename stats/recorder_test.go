package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// TestRecorderThins: a series never has more than MostPoints values. They are evenly spaced, from the first to the
// last.
func TestRecorderThins(t *testing.T) {
	for _, n := range []int{1, 2, MostPoints - 1, MostPoints, MostPoints + 1, 5*MostPoints + 7} {
		r := NewRecorder(time.Now(), Run{}, 0)
		for i := range n {
			r.Add("loss", i, float64(i))
		}
		s := r.Series()[0]
		if len(s.Values) > MostPoints || len(s.Values) < min(n, MostPoints/2) {
			t.Errorf("%d of %d values are kept", len(s.Values), n)
		}
		if s.Iterations[0] != 0 || s.Iterations[len(s.Iterations)-1] != n-1 {
			t.Errorf("%d values: they are from %d to %d", n, s.Iterations[0], s.Iterations[len(s.Iterations)-1])
		}
		for i, at := range s.Iterations {
			if s.Values[i] != float64(at) {
				t.Fatalf("iteration %d has the value %v", at, s.Values[i])
			}
			if last := len(s.Values) - 1; i > 1 && i < last && at-s.Iterations[i-1] != s.Iterations[1] {
				t.Fatalf("%d values: iteration %d follows %d", n, at, s.Iterations[i-1])
			}
		}
	}
}

// TestRecorderGoesOn: a resumed run keeps the values up to its checkpoint, and adds its own after it.
func TestRecorderGoesOn(t *testing.T) {
	first := NewRecorder(time.Now(), Run{}, 0)
	for i := range 10 {
		first.Add("loss", i, 1)
	}
	second := NewRecorder(time.Now(), Run{Series: first.Series()}, 6)
	for i := 7; i < 12; i++ {
		second.Add("loss", i, 2)
	}
	second.Add("accuracy", 12, math.Inf(1))
	got := second.Series()
	if want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}; !slices.Equal(got[0].Iterations, want) {
		t.Errorf("iterations %v", got[0].Iterations)
	}
	if got[0].Values[6] != 1 || got[0].Values[7] != 2 || !math.IsNaN(got[1].Values[0]) {
		t.Errorf("values %v and %v", got[0].Values, got[1].Values)
	}
	var none *Recorder
	none.Add("loss", 0, 0)
	if none.Series() != nil {
		t.Error("a nil Recorder has series")
	}
}

// TestMeasurementsOfWorkers: measurements are sent in records with events, and those of one iteration are averaged.
func TestMeasurementsOfWorkers(t *testing.T) {
	var all Record
	for worker := range 2 {
		c := New("partition")
		c.Begin(WorkerFit)(16)
		for i := range 3 {
			c.Measure(Measurement{"ratio/0_W", 50 * i, float64(worker + i)}, Measurement{"dead/layer0", 50 * i, math.NaN()})
		}
		all = append(all, c.Record()...)
	}
	master := New("master")
	if err := master.AddRecord(all); err != nil || len(master.Events()) != 2 {
		t.Fatalf("%v, %d events", err, len(master.Events()))
	}
	r := NewRecorder(time.Now(), Run{}, 0)
	r.AddMeasurements(master.Measurements())
	if master.Measurements() != nil {
		t.Error("measurements are given twice")
	}
	for _, at := range []int{100, 50, 150, 150} { // of a fit that begins where a slow worker was
		r.AddMeasurements([]Measurement{{"ratio/0_W", at, 9}})
		r.AddHistograms([]Histogram{{Name: "updates/0_W", Iteration: at, Counts: make([]int, HistogramBins)}})
	}
	if n := len(r.Histograms()); n != 2 {
		t.Errorf("%d histograms", n)
	}
	run := Run{Series: r.Series()}
	if s := run.named("ratio/0_W"); !slices.Equal(s.Iterations, []int{0, 50, 100, 150}) ||
		!slices.Equal(s.Values, []float64{0.5, 1.5, 2.5, 9}) {
		t.Errorf("%v", s)
	}
	for n := range all { // a cut-off record is an error, or ends at the end of a run
		all[:n].read()
	}
	for i := range all { // no other byte leads to a panic
		broken := slices.Clone(all)
		broken[i] ^= 0xff
		broken.read()
	}
}

// TestSeriesOfManyWorkers: all series together are limited, too, and evenly thinned.
func TestSeriesOfManyWorkers(t *testing.T) {
	r := NewRecorder(time.Now(), Run{}, 0)
	const workers, each = 1000, 3000
	for at := range each {
		for w := range workers {
			r.Add(fmt.Sprintf("speed/partition %d", w), at, float64(at))
		}
	}
	all, sum := r.Series(), 0
	for _, s := range all {
		sum += len(s.Values)
		if n := len(s.Values); n < 300 || s.Iterations[0] != 0 || s.Iterations[n-1] != each-1 {
			t.Fatalf("%s has %d values, from %d to %d", s.Name, n, s.Iterations[0], s.Iterations[n-1])
		}
	}
	if len(all) != workers || sum > 1_000_000+workers {
		t.Errorf("%d series have %d values", len(all), sum)
	}
}
