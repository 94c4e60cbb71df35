package updater

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/program"
)

// stepper runs an updater's formula in float64.
type stepper struct {
	u     Updater
	run   *naive.Executable[float64]
	state [][]float64
}

func newStepper(t *testing.T, u Updater, n int) *stepper {
	t.Helper()
	b := program.NewBuilder()
	g := b.Input("g", n)
	var state, scalars []*program.Value
	s := &stepper{u: u}
	for i := range u.States() {
		state = append(state, b.Input(fmt.Sprintf("state%d", i), n))
		s.state = append(s.state, make([]float64, n))
		for k := range s.state[i] {
			s.state[i][k] = u.InitialState(i)
		}
	}
	for i := range u.Scalars(0, 0) {
		scalars = append(scalars, b.Input(fmt.Sprintf("scalar%d", i)))
	}
	update, next := u.Emit(b, g, state, scalars)
	b.Output("update", update)
	for i, v := range next {
		b.Output(fmt.Sprintf("state%d", i), v)
	}
	var err error
	if s.run, err = naive.Compile[float64](b.Build()); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stepper) step(t *testing.T, iteration, epoch int, g []float64) []float64 {
	t.Helper()
	bind := &naive.Bindings[float64]{Inputs: append([][]float64{g}, s.state...)}
	for _, x := range s.u.Scalars(iteration, epoch) {
		bind.Inputs = append(bind.Inputs, []float64{x})
	}
	if err := s.run.Run(bind); err != nil {
		t.Fatal(err)
	}
	for i := range s.state {
		copy(s.state[i], s.run.Output(i+1))
	}
	return s.run.Output(0)
}

// Deeplearning4j's updates and states over five steps.
func TestSteps(t *testing.T) {
	text, err := os.ReadFile("testdata/steps.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Updater json.RawMessage
		Initial []float64
		Steps   []struct {
			Iteration, Epoch        int
			Gradient, Update, State []float64
		}
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var u Updater
		if err := dl4j.Unmarshal(c.Updater, &u); err != nil {
			t.Fatal(err)
		}
		if err := u.Validate(); err != nil {
			t.Error(err)
		}
		n := len(c.Steps[0].Gradient)
		s := newStepper(t, u, n)
		compare := func(what string, got, want []float64) {
			t.Helper()
			for i := range want {
				if !near.Equal(got[i], want[i], 0, 1e-10) {
					t.Errorf("%T %+v: %s, element %d is %.12g, want %.12g", u, u, what, i, got[i], want[i])
				}
			}
		}
		flat := func() (all []float64) {
			for _, x := range s.state {
				all = append(all, x...)
			}
			return all
		}
		if len(c.Initial) != n*u.States() {
			t.Fatalf("%T has %d states, want %d elements", u, u.States(), len(c.Initial))
		}
		compare("first state", flat(), c.Initial)
		for k, step := range c.Steps {
			compare(fmt.Sprintf("update %d", k), s.step(t, step.Iteration, step.Epoch, step.Gradient), step.Update)
			compare(fmt.Sprintf("state %d", k), flat(), step.State)
		}
	}
}

// AdaBelief cannot run in Deeplearning4j. The reference is a loop with the paper's algorithm 2.
func TestAdaBelief(t *testing.T) {
	u := AdaBelief{LearningRate: 0.1, Beta1: 0.8, Beta2: 0.9, Epsilon: 1e-3}
	s := newStepper(t, u, 1)
	m, v := 0.0, 0.0
	for i, g := range []float64{0.5, -2, 0.25, 1} {
		m = 0.8*m + 0.2*g
		v = 0.9*v + 0.1*(g-m)*(g-m) + 1e-3
		n := float64(i + 1)
		want := 0.1 * math.Sqrt(1-math.Pow(0.9, n)) / (1 - math.Pow(0.8, n)) * m / (math.Sqrt(v) + 1e-3)
		if got := s.step(t, i, 0, []float64{g})[0]; !near.Equal(got, want, 0, 1e-10) {
			t.Errorf("update %d is %g, want %g", i, got, want)
		}
	}
}

func TestObjectsReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Updater
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
}

func TestEqual(t *testing.T) {
	step := func(v float64) Schedule {
		return StepSchedule{Type: Epoch, InitialValue: v, DecayRate: 0.5, Step: 2}
	}
	scheduled := func(v float64) Updater {
		u := NewAdam()
		u.LearningRate, u.LearningRateSchedule = math.NaN(), step(v)
		return u
	}
	all := []Updater{NewSgd(), Sgd{LearningRate: 0.5}, NewNesterovs(), NewAdam(), scheduled(1), scheduled(2), NewAMSGrad(),
		Nesterovs{LearningRate: 0.1, Momentum: math.NaN(), MomentumSchedule: step(0.9)}, NewAdaMax(), NewNadam(),
		NewAdaBelief(), NewAdaGrad(), NewRmsProp(), NewAdaDelta(), NoOp{}}
	again := []Updater{NewSgd(), Sgd{LearningRate: 0.5}, NewNesterovs(), NewAdam(), scheduled(1),
		scheduled(2), NewAMSGrad(),
		Nesterovs{LearningRate: 0.1, Momentum: math.NaN(), MomentumSchedule: step(0.9)}, NewAdaMax(), NewNadam(),
		NewAdaBelief(), NewAdaGrad(), NewRmsProp(), NewAdaDelta(), NoOp{}}
	for i, a := range all {
		for k, b := range again {
			if got := a.Equal(b); got != (i == k) {
				t.Errorf("%T %+v equals %T %+v: %v", a, a, b, b, got)
			}
		}
		if a.Equal(nil) {
			t.Errorf("%T equals nil", a)
		}
	}
}

func TestRate(t *testing.T) {
	u := NewNesterovs()
	u.LearningRateSchedule = ExponentialSchedule{Type: Epoch, InitialValue: 1, Gamma: 0.5}
	if lr, has := u.Rate(100, 2); lr != 0.25 || !has {
		t.Errorf("the scheduled rate is %g, %v", lr, has)
	}
	for _, u := range []Updater{NewAdaDelta(), NoOp{}} {
		if _, has := u.Rate(0, 0); has {
			t.Errorf("%T has a learning rate", u)
		}
	}
}

func TestInvalidSettings(t *testing.T) {
	for want, u := range map[string]Updater{
		"Sgd: learningRate is NaN":            Sgd{LearningRate: math.NaN()},
		"Ftrl: learningRate is -1":            Ftrl{LearningRate: -1},
		"Ftrl: power is 1":                    Ftrl{LearningRate: 1, Power: 1},
		"Lamb: beta2 is 1":                    Lamb{Beta2: 1},
		"Adam: beta1 is 1:":                   Adam{Beta1: 1},
		"AMSGrad: beta2 is -1:":               AMSGrad{Beta2: -1},
		"RmsProp: epsilon is -1:":             RmsProp{Epsilon: -1},
		"RmsProp: rmsDecay is NaN":            RmsProp{RmsDecay: math.NaN()},
		"AdaDelta: rho is 2":                  AdaDelta{Rho: 2},
		"Nesterovs: momentum is NaN":          Nesterovs{Momentum: math.NaN()},
		"learningRateSchedule is 0: StepSche": Nadam{LearningRateSchedule: StepSchedule{Type: Epoch}},
	} {
		if err := u.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", u, err, want)
		}
	}
}

// TestWeighted: at parameters of 0, Emit is EmitFor.
func TestWeighted(t *testing.T) {
	for _, u := range []Weighted{NewFtrl(), NewLamb()} {
		s, again := newStepper(t, u, 3), newStepper(t, u, 3)
		b := program.NewBuilder()
		g := b.Input("g", 3)
		var state, scalars []*program.Value
		for i := range u.States() {
			state = append(state, b.Input(fmt.Sprintf("state%d", i), 3))
		}
		for i := range u.Scalars(0, 0) {
			scalars = append(scalars, b.Input(fmt.Sprintf("scalar%d", i)))
		}
		update, next := u.EmitFor(b, b.Fill(0, 3), g, state, scalars)
		b.Output("update", update)
		for i, v := range next {
			b.Output(fmt.Sprintf("state%d", i), v)
		}
		var err error
		if again.run, err = naive.Compile[float64](b.Build()); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			x := []float64{0.5, -2, 0}
			got, want := s.step(t, i, 0, x), again.step(t, i, 0, x)
			if fmt.Sprint(got) != fmt.Sprint(want) || got[0] <= 0 || got[1] >= 0 || got[2] != 0 {
				t.Errorf("%T: the update is %v, and %v by EmitFor", u, got, want)
			}
		}
	}
}
