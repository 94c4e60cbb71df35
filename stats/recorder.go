package stats

import (
	"math"
	"sync"
	"time"
)

// Recorder keeps the figures of a run as [Series], in limited memory. Its methods may be called from any goroutine. A
// nil Recorder keeps nothing.
type Recorder struct {
	began time.Time

	mu     sync.Mutex
	series []*kept
	places map[string]int
	values int // number of values of all series

	spreads histograms
}

// mostOfAll limits the values of all series together: with a thousand workers, each series has fewer. fewest is the
// minimum for each.
const (
	mostOfAll = 1_000_000
	fewest    = 100
)

// kept is a series and its state of thinning.
type kept struct {
	Series
	every, skipped int // one value in every is kept; skipped values came after the last kept one
	last           point
}

type point struct {
	iteration int
	since     time.Duration
	value     float64
}

// NewRecorder makes a Recorder for a run that began at a time. earlier has the series and histograms of the run's
// earlier parts. They are kept up to iteration upTo, from which the run continues.
func NewRecorder(began time.Time, earlier Run, upTo int) *Recorder {
	r := &Recorder{began: began, places: map[string]int{}}
	for _, h := range earlier.Histograms {
		if h.Iteration <= upTo {
			r.spreads.add(h)
		}
	}
	for _, s := range earlier.Series {
		k := r.of(s.Name)
		for i, iteration := range s.Iterations {
			if iteration <= upTo {
				r.add(k, point{iteration, s.Since[i], s.Values[i]})
			}
		}
	}
	return r
}

// Add records the value of a figure after an iteration.
func (r *Recorder) Add(name string, iteration int, value float64) {
	r.record(name, iteration, value, false)
}

// addNew is Add, unless the series has a value of that iteration or a later one.
func (r *Recorder) addNew(name string, iteration int, value float64) {
	r.record(name, iteration, value, true)
}

func (r *Recorder) record(name string, iteration int, value float64, onlyNew bool) {
	if r == nil {
		return
	}
	if math.IsInf(value, 0) {
		value = math.NaN()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.of(name)
	if onlyNew && len(k.Values) > 0 && iteration <= k.last.iteration {
		return
	}
	r.add(k, point{iteration, max(0, time.Since(r.began)), value})
}

// add keeps a value, and thins out all series if they are too long together.
func (r *Recorder) add(k *kept, p point) {
	before := len(k.Values)
	k.add(p)
	if r.values += len(k.Values) - before; r.values <= mostOfAll {
		return
	}
	r.values = 0
	for _, k := range r.series {
		if len(k.Values) > fewest {
			k.halve()
		}
		r.values += len(k.Values)
	}
}

func (r *Recorder) of(name string) *kept {
	at, ok := r.places[name]
	if !ok {
		at = len(r.series)
		r.places[name] = at
		r.series = append(r.series, &kept{Series: Series{Name: name}, every: 1})
	}
	return r.series[at]
}

func (k *kept) add(p point) {
	k.last = p
	if len(k.Values) > 0 {
		if k.skipped++; k.skipped < k.every {
			return
		}
	}
	k.skipped = 0
	if len(k.Values) == MostPoints-1 { // the last value is added to them
		k.halve()
		k.skipped = k.every / 2
		return
	}
	k.append(p)
}

// halve keeps every other value, beginning with the first, and doubles the spacing from then on.
func (k *kept) halve() {
	if len(k.Values)%2 == 0 { // the last one is dropped
		k.skipped += k.every
	}
	n := (len(k.Values) + 1) / 2
	for i := range n {
		k.Iterations[i], k.Since[i], k.Values[i] = k.Iterations[2*i], k.Since[2*i], k.Values[2*i]
	}
	k.Iterations, k.Since, k.Values = k.Iterations[:n], k.Since[:n], k.Values[:n]
	k.every *= 2
}

func (s *Series) append(p point) {
	s.Iterations = append(s.Iterations, p.iteration)
	s.Since = append(s.Since, p.since)
	s.Values = append(s.Values, p.value)
}

// Empty reports whether there are no series yet.
func (r *Recorder) Empty() bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.series) == 0
}

// Series returns the series so far, in the order of their first values.
func (r *Recorder) Series() []Series { return r.Thinned(0) }

// Thinned is Series with at most the given number of values in total, but at least 100 per series; 0 means all. The
// omitted values are evenly spaced.
func (r *Recorder) Thinned(most int) []Series {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	each := MostPoints
	if most > 0 && len(r.series) > 0 {
		each = max(100, most/len(r.series))
	}
	out := make([]Series, len(r.series))
	for i, k := range r.series {
		out[i] = k.thinned(each)
	}
	return out
}

// thinned copies a limited number of values, and the last one.
func (k *kept) thinned(most int) Series {
	n := len(k.Values)
	step := max(1, (n+most-1)/most)
	s := Series{Name: k.Name, Iterations: make([]int, 0, n/step+2), Since: make([]time.Duration, 0, n/step+2),
		Values: make([]float64, 0, n/step+2)}
	for i := 0; i < n; i += step {
		s.append(point{k.Iterations[i], k.Since[i], k.Values[i]})
	}
	if k.skipped > 0 || n > 0 && (n-1)%step > 0 {
		s.append(k.last)
	}
	return s
}
