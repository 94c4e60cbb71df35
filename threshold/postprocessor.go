package threshold

import "github.com/dl4go/dl4go/dl4j"

// PostProcessor limits a worker's residual after each message (Deeplearning4j: ResidualPostProcessor). It is a plain
// value that reads and writes Deeplearning4j's JSON through the table PostProcessors. Register your own there by name.
// Without one, residuals are not limited.
type PostProcessor interface {
	// Process may change the residual. It returns the amount that it removed. threshold is that of the step's message.
	Process(c *Coder, iteration, epoch int, threshold float64, residual []float32) Removed
	// Validate checks the settings.
	Validate() error
}

// PostProcessors maps Java classes to post-processors.
var PostProcessors = dl4j.NewClasses[PostProcessor]("residual post-processor")

const javaPostProcessors = "org.deeplearning4j.optimize.solvers.accumulation.encoding.residual."

// Removed counts what was removed from a residual other than by a message.
type Removed struct {
	Count     int64   `dl4j:"count"`     // elements changed
	Sum       float64 `dl4j:"sum"`       // Σ (before - after)
	Magnitude float64 `dl4j:"magnitude"` // Σ |before - after|
}

// Add adds the counts of other.
func (r *Removed) Add(other Removed) {
	r.Count += other.Count
	r.Sum += other.Sum
	r.Magnitude += other.Magnitude
}

// ResidualClipping limits the residual to ±ThresholdMultiple times the step's threshold, every Frequency iterations
// except iteration 0. (Deeplearning4j: ResidualClippingPostProcessor.)
type ResidualClipping struct {
	ThresholdMultiple float64 `dl4j:"thresholdMultipleClipValue"` // 5 in NewResidualClipping
	Frequency         int32   `dl4j:"frequency"`                  // iterations, 5 in NewResidualClipping
}

// NewResidualClipping returns the post-processor with Deeplearning4j's defaults.
func NewResidualClipping() ResidualClipping {
	return ResidualClipping{ThresholdMultiple: 5, Frequency: 5}
}

// Process clips the residual if the iteration is one of those.
func (p ResidualClipping) Process(c *Coder, iteration, epoch int, threshold float64, residual []float32) Removed {
	if !p.due(iteration) {
		return Removed{}
	}
	return c.Clip(residual, p.limit(threshold))
}

// due reports whether the iteration is one of those.
func (p ResidualClipping) due(iteration int) bool {
	return iteration > 0 && iteration%int(p.Frequency) == 0
}

func (p ResidualClipping) limit(threshold float64) float32 {
	return float32(threshold * p.ThresholdMultiple)
}

// Validate checks the ranges of the settings.
func (p ResidualClipping) Validate() error {
	return check("ResidualClippingPostProcessor", positive("thresholdMultipleClipValue", p.ThresholdMultiple),
		rule{"frequency", float64(p.Frequency), p.Frequency > 0, "must be above 0"})
}

func init() {
	PostProcessors.Register(javaPostProcessors+"ResidualClippingPostProcessor",
		func() PostProcessor { return NewResidualClipping() })
}
