package legacy

import (
	"math"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/updater"
)

const learning = "org.nd4j.linalg.learning.config."

// updaterMembers are the members of a layer of 0.9 and before that configure its updater.
var updaterMembers = []string{"adamMeanDecay", "adamVarDecay", "biasLearningRate", "epsilon", "learningRate",
	"learningRateSchedule",
	"momentum", "momentumSchedule", "rho", "rmsDecay"}

// updaters makes an object of an updater's name and the layer's numbers.
func (u *upgrade) updaters(o *dl4j.Object, c conf) error {
	v, _ := o.Get("updater")
	name, isName := v.(string)
	if !isName {
		return nil
	}
	u.seems(Nine)
	take(o, "updater")
	from := map[string]any{}
	for _, m := range updaterMembers {
		from[m], _ = take(o, m)
	}
	number := func(m string, otherwise float64) any {
		if x := float(from[m]); !math.IsNaN(x) {
			return from[m]
		}
		return otherwise
	}
	rate := float(from["learningRate"])
	member := func(name string, v any) dl4j.Member { return dl4j.Member{Name: name, Value: v} }
	made := dl4j.Object{}
	is := func(class string, ms ...dl4j.Member) {
		made = append(dl4j.Object{member("@class", learning+class)}, ms...)
	}
	learningRate := member("learningRate", from["learningRate"])
	adam := []dl4j.Member{learningRate, member("beta1", number("adamMeanDecay", 0.9)),
		member("beta2", number("adamVarDecay", 0.999)),
		member("epsilon", number("epsilon", 1e-8))}
	switch name {
	case "SGD":
		is("Sgd", learningRate)
	case "ADAM":
		is("Adam", adam...)
	case "ADAMAX":
		is("AdaMax", adam...)
	case "NADAM":
		is("Nadam", adam...)
	case "ADADELTA":
		is("AdaDelta", member("rho", number("rho", 0.95)), member("epsilon", number("epsilon", 1e-6)))
	case "NESTEROVS":
		is("Nesterovs", learningRate, member("momentum", number("momentum", 0.9)))
	case "ADAGRAD":
		is("AdaGrad", learningRate, member("epsilon", number("epsilon", 1e-6)))
	case "RMSPROP":
		is("RmsProp", learningRate, member("rmsDecay", number("rmsDecay", 0.95)), member("epsilon", number("epsilon", 1e-8)))
	case "NONE":
		is("NoOp")
	}
	if own, ok := o.Get("iupdater"); ok && own != nil {
		if of, ok := object(own); ok {
			made = of
		}
	} else {
		u.seems(Seven)
		if len(made) == 0 { // CUSTOM, or unknown: there is no member iupdater then
			return within("updater", &dl4j.FormatError{Offset: -1, Err: errUpdater(name)})
		}
	}
	if _, rated := made.Get("learningRate"); rated {
		s, err := u.policy(c, rate, from["learningRateSchedule"])
		if err != nil {
			return err
		}
		if s != nil {
			set(&made, "learningRate", "NaN")
			if err := addTree(&made, "learningRateSchedule", &s); err != nil {
				return err
			}
		}
		if bias := float(from["biasLearningRate"]); bias != rate && !math.IsNaN(bias) {
			if s != nil {
				u.notice("the biases' own learning rate, %v, is not kept beside a policy: theirs is that of the weights", bias)
			} else {
				of, _ := object(made)
				set(&of, "learningRate", from["biasLearningRate"])
				add(o, "biasUpdater", of)
			}
		}
	}
	if steps, ok := from["momentumSchedule"].(dl4j.Object); ok && len(steps) > 0 {
		s, err := mapSchedule(float(from["momentum"]), steps)
		if err != nil {
			return within("momentumSchedule", err)
		}
		if _, has := made.Get("momentum"); has {
			if err := addTree(&made, "momentumISchedule", &s); err != nil {
				return err
			}
		}
	}
	set(o, "iupdater", made)
	return nil
}

type errUpdater string

func (e errUpdater) Error() string {
	return "an updater of the unknown name " + strconv.Quote(string(e))
}

// policy returns the schedule of a learning rate; nil if it is constant. Both count steps.
func (u *upgrade) policy(c conf, rate float64, steps any) (updater.Schedule, error) {
	lost := func() (updater.Schedule, error) {
		u.notice("the learning rate's policy %s is not kept: the rate stays %v", c.policy, rate)
		return nil, nil
	}
	missing := math.IsNaN(c.decay) || math.IsNaN(rate)
	switch c.policy {
	case "", "None":
		return nil, nil
	case "Exponential":
		if missing {
			return lost()
		}
		return updater.ExponentialSchedule{Type: updater.Iteration, InitialValue: rate, Gamma: c.decay}, nil
	case "Inverse":
		if missing || math.IsNaN(c.power) {
			return lost()
		}
		return updater.InverseSchedule{Type: updater.Iteration, InitialValue: rate, Gamma: c.decay, Power: c.power}, nil
	case "Step":
		if missing || !(c.steps > 0) {
			return lost()
		}
		return updater.StepSchedule{Type: updater.Iteration, InitialValue: rate, DecayRate: c.decay, Step: c.steps}, nil
	case "Sigmoid":
		if missing || !(c.steps > 0 && c.steps < math.MaxInt32) {
			return lost()
		}
		return updater.SigmoidSchedule{Type: updater.Iteration, InitialValue: rate, Gamma: c.decay,
			StepSize: int32(c.steps)}, nil
	case "Schedule":
		o, ok := steps.(dl4j.Object)
		if !ok || math.IsNaN(rate) {
			return lost()
		}
		s, err := mapSchedule(rate, o)
		if err != nil {
			return nil, within("learningRateSchedule", err)
		}
		return s, nil
	}
	return lost() // Poly counts by numIterations, Score and TorchStep by values that the file lacks
}

// mapSchedule returns a schedule of the values that begin at the given steps. It needs a value for step 0, and adds
// first if there is none.
func mapSchedule(first float64, steps dl4j.Object) (updater.Schedule, error) {
	values := append(dl4j.Object{}, steps...)
	if _, ok := values.Get("0"); !ok {
		values = append(dl4j.Object{{Name: "0", Value: dl4j.Number(strconv.FormatFloat(first, 'g', -1, 64))}}, values...)
	}
	s := updater.MapSchedule{Type: updater.Iteration}
	err := dl4j.FromTree(values, &s.Values)
	return s, err
}
