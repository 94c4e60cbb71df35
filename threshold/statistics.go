package threshold

import "math"

// Statistics describes a worker's last step, for encodingDebugMode.
type Statistics struct {
	Iteration, Epoch int
	Form             Form
	Threshold        float64
	Values           int     // in the message
	Sparsity         float64 // Values over parameters
	Residual         ResidualStatistics
}

// ResidualStatistics describes a residual after its step. NaN and infinities are counted and left out of the rest.
type ResidualStatistics struct {
	Mean, MeanMagnitude, StandardDeviation float64
	Min, Max                               float64
	Above                                  int // elements with |x| ≥ the threshold, left for later messages
	NotFinite                              int
}

// Norm returns the Euclidean norm of a residual with the given number of elements.
func (s ResidualStatistics) Norm(elements int) float64 {
	return math.Sqrt(float64(elements-s.NotFinite) * (s.Mean*s.Mean + s.StandardDeviation*s.StandardDeviation))
}

// Statistics describes the last step. It reads the whole residual.
func (e *Encoder) Statistics() Statistics {
	e.device.fetch()
	return Statistics{Iteration: e.step.Iteration, Epoch: e.step.Epoch, Form: e.message.Form,
		Threshold: e.state.LastThreshold,
		Values:    e.message.Count, Sparsity: e.message.Sparsity(), Residual: Describe(e.residual, e.state.LastThreshold)}
}

// Describe returns the statistics of a residual.
func Describe(residual []float32, threshold float64) ResidualStatistics {
	s := ResidualStatistics{Min: math.Inf(1), Max: math.Inf(-1)}
	t := float32(threshold)
	var sum, magnitude, squares float64
	for _, v := range residual {
		x := float64(v)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			s.NotFinite++
			continue
		}
		sum += x
		magnitude += math.Abs(x)
		squares += x * x
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
		if v >= t || v <= -t {
			s.Above++
		}
	}
	n := float64(len(residual) - s.NotFinite)
	if n == 0 {
		s.Min, s.Max = 0, 0
		return s
	}
	s.Mean, s.MeanMagnitude = sum/n, magnitude/n
	s.StandardDeviation = math.Sqrt(max(0, squares/n-s.Mean*s.Mean))
	return s
}
