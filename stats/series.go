package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// Series is the course of one figure of a run during training. The three slices have an element for each kept value. A
// series of more than [MostPoints] values keeps evenly spaced ones, and the last.
type Series struct {
	// Name is the figure: "loss", "heldOutLoss", "accuracy", "learningRate", or "updates/0_W" for one of a parameter.
	Name string
	// Iterations counts the network's steps so far.
	Iterations []int
	// Since is the time since the run began.
	Since []time.Duration
	// Values has NaN if the figure was not finite.
	Values []float64
}

// MostPoints is the maximum number of values of a series.
const MostPoints = 10_000

// Last returns the last value, and false if there is none.
func (s *Series) Last() (value float64, ok bool) {
	if len(s.Values) == 0 {
		return 0, false
	}
	return s.Values[len(s.Values)-1], true
}

// seriesJSON is a Series in a file. Seconds have six decimals, and values are null if they are not finite.
type seriesJSON struct {
	Name       string     `json:"name"`
	Iterations []int      `json:"iterations"`
	Seconds    []float64  `json:"seconds"`
	Values     []*float64 `json:"values"`
}

// MarshalJSON writes the series as three arrays beside its name.
func (s Series) MarshalJSON() ([]byte, error) {
	j := seriesJSON{Name: s.Name, Iterations: s.Iterations, Seconds: make([]float64, len(s.Since)),
		Values: make([]*float64, len(s.Values))}
	for i, d := range s.Since {
		j.Seconds[i] = float64(d.Microseconds()) / 1e6
	}
	for i := range s.Values {
		if v := s.Values[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			j.Values[i] = &v
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads a series.
func (s *Series) UnmarshalJSON(b []byte) error {
	var j seriesJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	if err := j.validate(); err != nil {
		return fmt.Errorf("series %.60q: %w", j.Name, err)
	}
	*s = Series{Name: j.Name, Iterations: j.Iterations}
	for i, v := range j.Values {
		x := math.NaN()
		if v != nil {
			x = *v
		}
		s.Since = append(s.Since, time.Duration(math.Round(j.Seconds[i]*1e6))*time.Microsecond)
		s.Values = append(s.Values, x)
	}
	return nil
}

// longestName is the maximum length of names of series and settings, in bytes.
const longestName = 500

func (j *seriesJSON) validate() error {
	const longest = 366 * 24 * 3600 // a year
	n := len(j.Values)
	switch {
	case j.Name == "" || len(j.Name) > longestName:
		return fmt.Errorf("a name of 1 to %d bytes is needed", longestName)
	case len(j.Iterations) != n || len(j.Seconds) != n:
		return errors.New("iterations, seconds and values must have the same length")
	case n > MostPoints:
		return fmt.Errorf("it has %d values, at most %d are read", n, MostPoints)
	}
	for i := range n {
		if j.Iterations[i] < 0 || i > 0 && j.Iterations[i] < j.Iterations[i-1] {
			return fmt.Errorf("iteration %d of value %d is out of order", j.Iterations[i], i)
		}
		if s := j.Seconds[i]; s < 0 || s > longest {
			return fmt.Errorf("%v seconds of value %d are not from 0 to a year", s, i)
		}
	}
	return nil
}
