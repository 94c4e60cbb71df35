// Package updater has the rules that turn a gradient into an update of the parameters, those of Deeplearning4j's
// org.nd4j.linalg.learning. An updater is a plain value that reads and writes Deeplearning4j's JSON, through the table
// [Classes]. It emits its formula as program operations.
//
// In the formulas, g is the gradient of the mean loss, after gradient normalisation, L1 and L2. The update is
// subtracted from the parameters, and t = iteration + 1.
package updater

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/program"
)

// Updater turns a gradient into an update. An updater may also be [Sparse], [Weighted] or [Shaped].
type Updater interface {
	// States returns the number of state arrays, each as long as the parameters, unless the updater is [Sized]. In
	// files they follow each other in the order of Emit's arguments.
	States() int
	// InitialState is the initial value of the elements of state array i.
	InitialState(i int) float64
	// Scalars returns the numbers of one step that Emit gets as values of shape []: the learning rate, bias
	// corrections, momentum. Their number never changes.
	Scalars(iteration, epoch int) []float64
	// Emit returns the update and the new state arrays, in the shape of g.
	Emit(b *program.Builder, g *program.Value, state, scalars []*program.Value) (
		update *program.Value, newState []*program.Value)
	// Rate returns the learning rate of a step; has is false if the updater has none (AdaDelta, NoOp).
	Rate(iteration, epoch int) (lr float64, has bool)
	// Equal reports whether the other updater has the same class and settings, including schedules. Neighbouring
	// parameters with equal updaters share an updater block.
	Equal(other Updater) bool
	// Validate checks the settings.
	Validate() error
}

// Sparse is an updater that can leave elements alone. Without regularisation, constraints and norms of the gradient, a
// step then updates only the rows of an embedding that its minibatch uses, with the same result.
type Sparse interface {
	Updater
	// KeepsAtZero reports whether a gradient of 0 changes neither the parameter nor the state.
	KeepsAtZero() bool
}

// Weighted is an updater whose update also depends on the parameters. A step calls EmitFor instead of Emit.
type Weighted interface {
	Updater
	// EmitFor is Emit for the parameters w, in the shape of g.
	EmitFor(b *program.Builder, w, g *program.Value, state, scalars []*program.Value) (
		update *program.Value, newState []*program.Value)
	// PerParameter reports whether w is always one whole parameter. Otherwise a step may take several together.
	PerParameter() bool
}

// Classes is the table of updaters and their Java classes. Register your own there.
var Classes = dl4j.NewClasses[Updater]("updater")

const javaPackage = "org.nd4j.linalg.learning.config."

// Complete fills in the settings that a literal leaves out: Adam{LearningRate: 0.01} gets the other settings of
// [NewAdam]. Networks complete their updaters. Zeros are kept in updaters made by New…, read from a file, or of other
// packages.
func Complete(u Updater) Updater {
	c, ok := u.(interface{ complete() Updater })
	if !ok {
		return u
	}
	if full := c.complete(); reflect.TypeOf(full) == reflect.TypeOf(u) {
		return full
	}
	return u // it embeds an updater of this package
}

// rate returns the value of a schedule, or the fixed one if there is no schedule.
func rate(fixed float64, s Schedule, iteration, epoch int) float64 {
	if s != nil {
		return s.Value(iteration, epoch)
	}
	return fixed
}

// equal compares two updaters' completed settings. NaN equals itself: it stands for a setting that a schedule
// replaces.
func equal(a, b Updater) bool {
	a, b = Complete(a), Complete(b)
	if a == nil || b == nil || reflect.TypeOf(a) != reflect.TypeOf(b) {
		return a == nil && b == nil
	}
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !x.Type().Field(i).IsExported() {
			continue
		}
		if x.Field(i).Kind() == reflect.Float64 {
			p, q := x.Field(i).Float(), y.Field(i).Float()
			if p != q && !(math.IsNaN(p) && math.IsNaN(q)) {
				return false
			}
			continue
		}
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return false
		}
	}
	return true
}

// rule is a bound on a setting.
type rule struct {
	name string
	x    float64
	ok   bool
	want string
}

// scheduled is the rule of a setting that a schedule may replace: the schedule must be valid, or the number finite.
func scheduled(name string, x float64, s Schedule) rule {
	if s == nil {
		return rule{name, x, !math.IsNaN(x) && !math.IsInf(x, 0), "must be a number"}
	}
	if err := s.Validate(); err != nil {
		return rule{name + "Schedule", x, false, err.Error()}
	}
	return rule{ok: true}
}

// decay is the rule of a decay rate.
func decay(name string, x float64) rule { return rule{name, x, x >= 0 && x < 1, "must be in [0, 1)"} }

// positive is the rule of an epsilon.
func positive(name string, x float64) rule {
	return rule{name, x, x >= 0 && !math.IsInf(x, 0), "must not be negative"}
}

func check(class string, rules ...rule) error {
	for _, r := range rules {
		if !r.ok {
			return fmt.Errorf("updater %s: %s is %g: %s", class, r.name, r.x, r.want)
		}
	}
	return nil
}

// moving returns the moving average: decay · old + (1 − decay) · x.
func moving(b *program.Builder, decay float64, old, x *program.Value) *program.Value {
	return b.Add(b.Mul(b.Scalar(decay), old), b.Mul(b.Scalar(1-decay), x))
}

// power returns base^(iteration+1).
func power(base float64, iteration int) float64 { return math.Pow(base, float64(iteration)+1) }
