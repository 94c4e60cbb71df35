package regularization

import (
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// SpatialDropout drops whole channels of images and sequences (Tompson and others, "Efficient object localization
// using convolutional networks", 2015). It keeps each index of the first two dimensions with probability P and divides
// its elements by P, or sets them to 0. P is the probability to KEEP. Vectors are refused. (Deeplearning4j:
// SpatialDropout.)
type SpatialDropout struct {
	// P has no effect if PSchedule is set (Deeplearning4j has NaN here then).
	P         float64          `dl4j:"p"`
	PSchedule updater.Schedule `dl4j:"pschedule,alias=pSchedule"`
}

// Value is P.
func (d SpatialDropout) Value(iteration, epoch int) float64 {
	return scheduled(d.P, d.PSchedule, iteration, epoch)
}

// Emit is x·[r < P]/P with one r, uniform on [0, 1), for each example and channel.
func (d SpatialDropout) Emit(b *program.Builder, x, value *program.Value, stream uint64) *program.Value {
	if len(x.Shape) < 3 {
		panic(&program.ShapeError{Op: "SpatialDropout", Shapes: []tensor.Shape{x.Shape},
			Reason: "it drops channels of images and of sequences, not elements of vectors: use Dropout"})
	}
	channels := make([]int, len(x.Shape))
	for i := range channels {
		channels[i] = 1
	}
	channels[0], channels[1] = x.Shape[0], x.Shape[1]
	keep := b.Binary(program.Greater, value, b.Random(stream, channels...))
	return b.Mul(x, b.Div(keep, value))
}

// Validate requires a probability above 0, or a valid schedule.
func (d SpatialDropout) Validate() error { return kept("SpatialDropout", d.P, d.PSchedule) }

func init() {
	DropoutClasses.Register(dropoutPackage+"SpatialDropout", func() Dropout { return SpatialDropout{} })
}
