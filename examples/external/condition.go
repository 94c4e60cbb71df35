package external

import (
	"fmt"
	"math"
)

// Plateau is an early stopping condition: it ends training when the scores of the last Epochs epochs differ by less
// than Share of the largest.
type Plateau struct {
	Epochs int
	Share  float64
}

// Validate checks the settings.
func (p Plateau) Validate() error {
	if p.Epochs < 2 || !(p.Share > 0) {
		return fmt.Errorf("Plateau: epochs %d, share %g; set 2 epochs or more, and a share above 0", p.Epochs, p.Share)
	}
	return nil
}

// Begin gives the condition, which remembers the last scores.
func (p Plateau) Begin() func(epoch int, score float64, minimize bool) bool {
	var scores []float64
	return func(_ int, score float64, _ bool) bool {
		scores = append(scores, score)
		if len(scores) < p.Epochs {
			return false
		}
		scores = scores[len(scores)-p.Epochs:]
		least, most := math.Inf(1), math.Inf(-1)
		for _, s := range scores {
			least, most = min(least, s), max(most, s)
		}
		return most-least < p.Share*math.Abs(most)
	}
}

func (p Plateau) String() string {
	return fmt.Sprintf("Plateau(%d epochs, share %g)", p.Epochs, p.Share)
}
