package weights

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// The VarScaling initialisations are Keras' VarianceScaling with Deeplearning4j's bounds. normal is N(0, Scale/fan)
// cut off at two standard deviations, and uniform is U(±3·Scale/√fan). fan is in, out or their mean. Scale is 1 if it
// is nil. (Deeplearning4j: WeightInitVarScaling….) Keras' normal is wider, so that the variance after the cut is
// Scale/fan; its uniform bound is √(3·Scale/fan).

// mean returns (in + out)/2.
func (f FanInOut) mean() float64 { return (f.In + f.Out) / 2 }

func scaleOr1(s *float64) float64 {
	if s == nil {
		return 1
	}
	return *s
}

func validScale(s *float64) error {
	if s != nil && (!(*s >= 0) || math.IsInf(*s, 0)) {
		return fmt.Errorf("weights with a scale of %g", *s)
	}
	return nil
}

// VarScalingNormalFanIn is normal with fan in.
type VarScalingNormalFanIn struct {
	Scale *float64 `dl4j:"scale"`
}

// Fill draws each element.
func (v VarScalingNormalFanIn) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	fill(dst, TruncatedNormalDistribution{Std: sqrt(scaleOr1(v.Scale) / fan.In)}, src)
}

// Validate requires a scale that is not negative.
func (v VarScalingNormalFanIn) Validate(tensor.Shape) error { return validScale(v.Scale) }

func init() { register("VarScalingNormalFanIn", VarScalingNormalFanIn{}, "VAR_SCALING_NORMAL_FAN_IN") }

// VarScalingNormalFanOut is normal with fan out.
type VarScalingNormalFanOut struct {
	Scale *float64 `dl4j:"scale"`
}

// Fill draws each element.
func (v VarScalingNormalFanOut) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	fill(dst, TruncatedNormalDistribution{Std: sqrt(scaleOr1(v.Scale) / fan.Out)}, src)
}

// Validate requires a scale that is not negative.
func (v VarScalingNormalFanOut) Validate(tensor.Shape) error { return validScale(v.Scale) }

func init() {
	register("VarScalingNormalFanOut", VarScalingNormalFanOut{}, "VAR_SCALING_NORMAL_FAN_OUT")
}

// VarScalingNormalFanAvg is normal with the mean of in and out.
type VarScalingNormalFanAvg struct {
	Scale *float64 `dl4j:"scale"`
}

// Fill draws each element.
func (v VarScalingNormalFanAvg) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	fill(dst, TruncatedNormalDistribution{Std: sqrt(scaleOr1(v.Scale) / fan.mean())}, src)
}

// Validate requires a scale that is not negative.
func (v VarScalingNormalFanAvg) Validate(tensor.Shape) error { return validScale(v.Scale) }

func init() {
	register("VarScalingNormalFanAvg", VarScalingNormalFanAvg{}, "VAR_SCALING_NORMAL_FAN_AVG")
}

// VarScalingUniformFanIn is uniform with fan in.
type VarScalingUniformFanIn struct {
	Scale *float64 `dl4j:"scale"`
}

// Fill draws each element.
func (v VarScalingUniformFanIn) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	uniform(dst, 3/sqrt(fan.In)*scaleOr1(v.Scale), src)
}

// Validate requires a scale that is not negative.
func (v VarScalingUniformFanIn) Validate(tensor.Shape) error { return validScale(v.Scale) }

func init() {
	register("VarScalingUniformFanIn", VarScalingUniformFanIn{}, "VAR_SCALING_UNIFORM_FAN_IN")
}

// VarScalingUniformFanOut is uniform with fan out.
type VarScalingUniformFanOut struct {
	Scale *float64 `dl4j:"scale"`
}

// Fill draws each element.
func (v VarScalingUniformFanOut) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	uniform(dst, 3/sqrt(fan.Out)*scaleOr1(v.Scale), src)
}

// Validate requires a scale that is not negative.
func (v VarScalingUniformFanOut) Validate(tensor.Shape) error { return validScale(v.Scale) }

func init() {
	register("VarScalingUniformFanOut", VarScalingUniformFanOut{}, "VAR_SCALING_UNIFORM_FAN_OUT")
}

// VarScalingUniformFanAvg is uniform with the mean of in and out.
type VarScalingUniformFanAvg struct {
	Scale *float64 `dl4j:"scale"`
}

// Fill draws each element.
func (v VarScalingUniformFanAvg) Fill(dst []float32, shape tensor.Shape, fan FanInOut, src *Source) {
	uniform(dst, 3/sqrt(fan.mean())*scaleOr1(v.Scale), src)
}

// Validate requires a scale that is not negative.
func (v VarScalingUniformFanAvg) Validate(tensor.Shape) error { return validScale(v.Scale) }

func init() {
	register("VarScalingUniformFanAvg", VarScalingUniformFanAvg{}, "VAR_SCALING_UNIFORM_FAN_AVG")
}
