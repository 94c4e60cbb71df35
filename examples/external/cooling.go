package external

import (
	"fmt"

	"github.com/dl4go/dl4go/threshold"
)

// Cooling is a threshold algorithm for gradient sharing: it begins with Initial and multiplies the threshold by Factor
// in each step, down to Least. The state of a worker is its threshold.
type Cooling struct {
	Initial float64 `dl4j:"initial"`
	Factor  float64 `dl4j:"factor"`
	Least   float64 `dl4j:"least"`
	// Now is where the last fit ended; 0 before the first.
	Now float64 `dl4j:"now"`
}

func init() {
	threshold.Algorithms.Register("com.example.Cooling", func() threshold.Algorithm {
		return Cooling{Initial: 1e-2, Factor: 0.99, Least: 1e-5}
	})
}

// Start goes on from the last fit.
func (c Cooling) Start() threshold.State {
	s := threshold.NewState()
	s.Own = []float64{c.Now}
	if c.Now == 0 {
		s.Own[0] = c.Initial
	}
	return s
}

// Threshold is the rule.
func (c Cooling) Threshold(s *threshold.State, _ *threshold.Step) float64 {
	now := s.Own[0]
	s.Own[0] = max(now*c.Factor, c.Least)
	return now
}

// From keeps the threshold, the mean of the workers'.
func (c Cooling) From(s threshold.State) threshold.Algorithm {
	c.Now = s.Own[0]
	return c
}

// Validate checks the settings' ranges.
func (c Cooling) Validate() error {
	if !(c.Least > 0) || !(c.Initial >= c.Least) || !(c.Factor > 0 && c.Factor <= 1) || c.Now < 0 {
		return fmt.Errorf("Cooling: least %g, initial %g, factor %g; set 0 < least ≤ initial, and a factor in (0, 1]",
			c.Least, c.Initial, c.Factor)
	}
	return nil
}
