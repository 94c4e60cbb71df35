package weights

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/tensor"
)

// Distribution is a distribution of the elements of an array, for [FromDistribution].
type Distribution interface {
	// Sample fills dst, an array of that shape in C order.
	Sample(dst []float32, shape tensor.Shape, src *Source)
	// Validate checks the settings.
	Validate() error
}

// Distributions is the table of distributions and their Java classes, of org.deeplearning4j.nn.conf.distribution. JSON
// objects name the class in "type".
var Distributions = dl4j.NewClassesKeyed[Distribution]("distribution", "type")

const distributionPackage = "org.deeplearning4j.nn.conf.distribution."

// drawn is a distribution that draws elements independently.
type drawn interface {
	draw(src *Source) float64
}

func fill(dst []float32, d drawn, src *Source) {
	for i := range dst {
		dst[i] = float32(d.draw(src))
	}
}

func sqrt(x float64) float64 { return math.Sqrt(x) }

// NormalDistribution is N(Mean, Std²).
type NormalDistribution struct {
	Mean  float64 `dl4j:"mean,creator"`
	Std   float64 `dl4j:"std,creator"`
	meant bool    // see package literal
}

// AfterRead notes that a zero from a file is intended.
func (d *NormalDistribution) AfterRead() { d.meant = d.Std == 0 }

func (d NormalDistribution) draw(src *Source) float64 {
	return d.Mean + float64(d.Std*src.Normal())
}

// Sample draws each element.
func (d NormalDistribution) Sample(dst []float32, _ tensor.Shape, src *Source) {
	fill(dst, d, src)
}

// Validate requires finite numbers and a standard deviation above 0; from a file, 0 is allowed.
func (d NormalDistribution) Validate() error { return spread("normal", d.Mean, d.Std, d.meant) }

// GaussianDistribution is NormalDistribution under its old name.
type GaussianDistribution struct{ NormalDistribution }

// TruncatedNormalDistribution is N(Mean, Std²); values farther than two standard deviations from the mean are drawn
// again.
type TruncatedNormalDistribution struct {
	Mean  float64 `dl4j:"mean,creator"`
	Std   float64 `dl4j:"std,creator"`
	meant bool    // see package literal
}

// AfterRead notes that a zero from a file is intended.
func (d *TruncatedNormalDistribution) AfterRead() { d.meant = d.Std == 0 }

func (d TruncatedNormalDistribution) draw(src *Source) float64 {
	x := src.Normal()
	for math.Abs(x) > 2 {
		x = src.Normal()
	}
	return d.Mean + float64(d.Std*x)
}

// Sample draws each element.
func (d TruncatedNormalDistribution) Sample(dst []float32, _ tensor.Shape, src *Source) {
	fill(dst, d, src)
}

// Validate requires finite numbers and a standard deviation above 0; from a file, 0 is allowed.
func (d TruncatedNormalDistribution) Validate() error {
	return spread("truncated normal", d.Mean, d.Std, d.meant)
}

// LogNormalDistribution is e^x with x from N(Mean, Std²).
type LogNormalDistribution struct {
	Mean  float64 `dl4j:"mean,creator"`
	Std   float64 `dl4j:"std,creator"`
	meant bool    // see package literal
}

// AfterRead notes that a zero from a file is intended.
func (d *LogNormalDistribution) AfterRead() { d.meant = d.Std == 0 }

func (d LogNormalDistribution) draw(src *Source) float64 {
	return math.Exp(d.Mean + float64(d.Std*src.Normal()))
}

// Sample draws each element.
func (d LogNormalDistribution) Sample(dst []float32, _ tensor.Shape, src *Source) {
	fill(dst, d, src)
}

// Validate requires finite numbers and a standard deviation above 0; from a file, 0 is allowed.
func (d LogNormalDistribution) Validate() error { return spread("log-normal", d.Mean, d.Std, d.meant) }

// spread is location that also refuses a standard deviation that a literal leaves out.
func spread(kind string, mean, std float64, meant bool) error {
	if err := location(kind, mean, std); err != nil {
		return err
	}
	return given(kind, meant, literal.Number("std", std))
}

// given refuses a setting that a literal leaves out, since it would make all weights equal.
func given(kind string, meant bool, settings ...literal.Setting) error {
	return literal.Refuse(kind+" distribution", "ConstantDistribution", meant, settings...)
}

func location(kind string, mean, std float64) error {
	if math.IsNaN(mean) || math.IsInf(mean, 0) || !(std >= 0) || math.IsInf(std, 0) {
		return fmt.Errorf("%s distribution with mean %g and standard deviation %g", kind, mean, std)
	}
	return nil
}

// UniformDistribution is U[Lower, Upper).
type UniformDistribution struct {
	Lower float64 `dl4j:"lower,creator"`
	Upper float64 `dl4j:"upper,creator"`
}

func (d UniformDistribution) draw(src *Source) float64 {
	return d.Lower + float64((d.Upper-d.Lower)*src.Float64())
}

// Sample draws each element.
func (d UniformDistribution) Sample(dst []float32, _ tensor.Shape, src *Source) {
	fill(dst, d, src)
}

// Validate requires Lower below Upper.
func (d UniformDistribution) Validate() error {
	if !(d.Lower < d.Upper) || math.IsInf(d.Upper-d.Lower, 0) {
		return fmt.Errorf("uniform distribution from %g to %g", d.Lower, d.Upper)
	}
	return nil
}

// BinomialDistribution is the number of successes in a number of trials.
type BinomialDistribution struct {
	NumberOfTrials       int32   `dl4j:"numberOfTrials,creator"`
	ProbabilityOfSuccess float64 `dl4j:"probabilityOfSuccess,creator"`
	meant                bool    // see package literal
}

// AfterRead notes that a zero from a file is intended.
func (d *BinomialDistribution) AfterRead() {
	d.meant = d.NumberOfTrials == 0 || d.ProbabilityOfSuccess == 0
}

func (d BinomialDistribution) draw(src *Source) float64 {
	n := 0
	for range d.NumberOfTrials {
		if src.Float64() < d.ProbabilityOfSuccess {
			n++
		}
	}
	return float64(n)
}

// Sample draws each element.
func (d BinomialDistribution) Sample(dst []float32, _ tensor.Shape, src *Source) {
	fill(dst, d, src)
}

// maxTrials bounds the work that a file can demand.
const maxTrials = 1 << 16

// Validate requires a probability, at most 65536 trials, and that neither was left out.
func (d BinomialDistribution) Validate() error {
	n, p := d.NumberOfTrials, d.ProbabilityOfSuccess
	if n < 0 || n > maxTrials || !(p >= 0 && p <= 1) {
		return fmt.Errorf("binomial distribution of %d trials with probability %g: must be 0 to %d, and in [0, 1]", n, p,
			maxTrials)
	}
	return given("binomial", d.meant, literal.Number("numberOfTrials", float64(n)),
		literal.Number("probabilityOfSuccess", p))
}

// ConstantDistribution is one value.
type ConstantDistribution struct {
	Value float64 `dl4j:"value,creator"`
}

func (d ConstantDistribution) draw(*Source) float64 { return d.Value }

// Sample sets each element.
func (d ConstantDistribution) Sample(dst []float32, _ tensor.Shape, src *Source) {
	fill(dst, d, src)
}

// Validate requires a number.
func (d ConstantDistribution) Validate() error { return location("constant", d.Value, 0) }

func init() {
	for name, d := range map[string]Distribution{
		"NormalDistribution":          NormalDistribution{Std: 1},
		"GaussianDistribution":        GaussianDistribution{NormalDistribution{Std: 1}},
		"TruncatedNormalDistribution": TruncatedNormalDistribution{Std: 1},
		"LogNormalDistribution":       LogNormalDistribution{Std: 1},
		"UniformDistribution":         UniformDistribution{Lower: 0, Upper: 1},
		"BinomialDistribution":        BinomialDistribution{NumberOfTrials: 1, ProbabilityOfSuccess: 0.5},
		"ConstantDistribution":        ConstantDistribution{},
		"OrthogonalDistribution":      OrthogonalDistribution{Gain: 1},
	} {
		Distributions.Register(distributionPackage+name, func() Distribution { return d })
	}
}
