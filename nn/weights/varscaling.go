package weights

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// The VarScaling initialisations are Keras' VarianceScaling with Deeplearning4j's bounds. Keras' normal one is wider,
// so that the variance after the cut is Scale/fan; its uniform bound is √(3·Scale/fan).

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

// VarScalingNormalFanIn is N(0, Scale/in), cut off at two standard deviations. A nil Scale is 1. (Deeplearning4j:
// WeightInitVarScalingNormalFanIn.) Keras' VarianceScaling is wider, so that the variance after the cut is Scale/in.
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

// VarScalingNormalFanOut is N(0, Scale/out), cut off at two standard deviations. A nil Scale is 1. (Deeplearning4j:
// WeightInitVarScalingNormalFanOut.)
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

// VarScalingNormalFanAvg is N(0, 2·Scale/(in + out)), cut off at two standard deviations. A nil Scale is 1.
// (Deeplearning4j: WeightInitVarScalingNormalFanAvg.)
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

// VarScalingUniformFanIn is U(±3·Scale/√in). A nil Scale is 1. (Deeplearning4j: WeightInitVarScalingUniformFanIn.) The
// bound of Keras' VarianceScaling is √(3·Scale/in).
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

// VarScalingUniformFanOut is U(±3·Scale/√out). A nil Scale is 1. (Deeplearning4j: WeightInitVarScalingUniformFanOut.)
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

// VarScalingUniformFanAvg is U(±3·Scale/√((in + out)/2)). A nil Scale is 1. (Deeplearning4j:
// WeightInitVarScalingUniformFanAvg.)
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
