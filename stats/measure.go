package stats

import (
	"cmp"
	"slices"
)

// Measurement is a figure of the inside of a worker's network, such as the mean magnitude of a parameter's updates.
// Its name is that of its [Series].
type Measurement struct {
	Name      string
	Iteration int
	Value     float64
}

// Measure adds a worker's measurements.
func (c *Collector) Measure(m ...Measurement) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.measured = append(c.measured, m...)
}

// Measurements returns the measurements that were collected since the last call.
func (c *Collector) Measurements() []Measurement {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.measured
	c.measured = nil
	return m
}

// AddMeasurements adds measurements to the series of their names. Several workers' measurements of one iteration are
// averaged. A worker that was ahead may have measured iterations at the end of a fit that others reach in the next one;
// such later measurements are left out.
func (r *Recorder) AddMeasurements(all []Measurement) {
	slices.SortStableFunc(all, func(a, b Measurement) int {
		return cmp.Or(cmp.Compare(a.Iteration, b.Iteration), cmp.Compare(a.Name, b.Name))
	})
	for len(all) > 0 {
		n, sum := 0, 0.0
		for n < len(all) && all[n].Name == all[0].Name && all[n].Iteration == all[0].Iteration {
			sum += all[n].Value
			n++
		}
		r.addNew(all[0].Name, all[0].Iteration, sum/float64(n))
		all = all[n:]
	}
}
