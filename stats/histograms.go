package stats

import (
	"cmp"
	"math"
	"slices"
)

// Limits of the histograms that a Recorder keeps.
const (
	mostHistograms    = 60     // of the same name
	mostHistogramsAll = 20_000 // in total; beyond this, fewer per name are kept
	fewestHistograms  = 4
)

// histograms keeps evenly spaced histograms by name.
type histograms struct {
	places map[string]int
	kept   []spaced
	all    int
}

type spaced struct {
	kept           []Histogram
	every, skipped int
	last           int // iteration
}

func (k *histograms) add(h Histogram) {
	at, ok := k.places[h.Name]
	if !ok {
		if k.places == nil {
			k.places = map[string]int{}
		}
		at = len(k.kept)
		k.places[h.Name] = at
		k.kept = append(k.kept, spaced{every: 1})
	}
	s := &k.kept[at]
	before := len(s.kept)
	s.add(h)
	if k.all += len(s.kept) - before; k.all <= mostHistogramsAll {
		return
	}
	k.all = 0
	for i := range k.kept {
		if s := &k.kept[i]; len(s.kept) > fewestHistograms {
			s.halve()
		}
		k.all += len(k.kept[i].kept)
	}
}

func (s *spaced) add(h Histogram) {
	if len(s.kept) > 0 && h.Iteration <= s.last {
		return
	}
	s.last = h.Iteration
	if len(s.kept) > 0 {
		if s.skipped++; s.skipped < s.every {
			return
		}
	}
	if s.skipped = 0; len(s.kept) == mostHistograms {
		s.halve()
		s.skipped = s.every / 2
		return
	}
	s.kept = append(s.kept, h)
}

// halve keeps every other histogram, beginning with the first, and doubles the spacing from then on.
func (s *spaced) halve() {
	if len(s.kept)%2 == 0 {
		s.skipped += s.every
	}
	n := (len(s.kept) + 1) / 2
	for i := range n {
		s.kept[i] = s.kept[2*i]
	}
	clear(s.kept[n:])
	s.kept = s.kept[:n]
	s.every *= 2
}

// AddHistograms adds histograms to those of the same name. Several workers' histograms of one iteration are summed.
// Like [Recorder.AddMeasurements], it leaves out histograms of iterations that it already has.
func (r *Recorder) AddHistograms(all []Histogram) {
	if r == nil || len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b Histogram) int {
		return cmp.Or(cmp.Compare(a.Iteration, b.Iteration), cmp.Compare(a.Name, b.Name))
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Name == all[0].Name && all[n].Iteration == all[0].Iteration {
			n++
		}
		r.spreads.add(sum(all[:n]))
		all = all[n:]
	}
}

// sum returns one histogram of the values of several.
func sum(all []Histogram) Histogram {
	if len(all) == 1 {
		return all[0]
	}
	out := Histogram{Name: all[0].Name, Iteration: all[0].Iteration, Low: all[0].Low, High: all[0].High,
		Counts: make([]int, HistogramBins)}
	for _, h := range all {
		out.Low, out.High = min(out.Low, h.Low), max(out.High, h.High)
	}
	if out.Low == out.High {
		for _, h := range all {
			out.Counts[0] += h.total()
		}
		return out
	}
	bins := make([]float64, HistogramBins)
	for i := range all {
		all[i].spread(out.Low, out.High, bins)
	}
	for i, b := range bins {
		out.Counts[i] = int(math.Round(b))
	}
	return out
}

// Histograms returns the histograms so far, by name, in the order of their first occurrence.
func (r *Recorder) Histograms() []Histogram {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Histogram
	for _, s := range r.spreads.kept {
		out = append(out, s.kept...)
	}
	return out
}

// MeasureHistogram adds histograms of a worker's network.
func (c *Collector) MeasureHistogram(h ...Histogram) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spreads = append(c.spreads, h...)
}

// Histograms returns the histograms that were collected since the last call.
func (c *Collector) Histograms() []Histogram {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.spreads
	c.spreads = nil
	return h
}
