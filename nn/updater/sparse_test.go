package updater

import (
	"math"
	"slices"
	"testing"
)

// TestKeepsAtZero: an updater that says so changes neither an element nor its state by a gradient of 0.
func TestKeepsAtZero(t *testing.T) {
	negative := math.Copysign(0, -1)
	some := 0
	for _, name := range Names() {
		u, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		keeps, ok := u.(Sparse)
		if !ok || !keeps.KeepsAtZero() {
			continue
		}
		some++
		s := newStepper(t, u, 3)
		s.step(t, 0, 0, []float64{0.5, -2, 1})
		var before [][]float64
		for _, x := range s.state {
			before = append(before, slices.Clone(x))
		}
		update := s.step(t, 1, 0, []float64{0, 0.5, negative})
		for i, x := range s.state {
			if x[0] != before[i][0] || x[1] == before[i][1] || x[2] != before[i][2] {
				t.Errorf("%s: state %d becomes %v from %v", name, i, x, before[i])
			}
		}
		if update[0] != 0 || update[1] == 0 || update[2] != 0 {
			t.Errorf("%s: the update is %v", name, update)
		}
	}
	if some != 5 {
		t.Errorf("%d updaters keep elements at 0", some)
	}
	if (AdaGrad{LearningRate: 1, meant: true}).KeepsAtZero() {
		t.Error("AdaGrad without epsilon divides 0 by 0")
	}
}

// TestLazyAdamIsAdam: without zeros, LazyAdam does the steps of Adam.
func TestLazyAdamIsAdam(t *testing.T) {
	schedule := StepSchedule{Type: Iteration, InitialValue: 0.1, DecayRate: 0.5, Step: 1}
	adam := newStepper(t, Complete(Adam{LearningRateSchedule: schedule, Beta1: 0.8}), 2)
	lazy := newStepper(t, Complete(LazyAdam{LearningRateSchedule: schedule, Beta1: 0.8}), 2)
	for i, g := range [][]float64{{1, -1}, {0.25, 3}, {-7, 1e-9}} {
		want, got := slices.Clone(adam.step(t, i, 0, g)), lazy.step(t, i, 0, g)
		if !slices.Equal(got, want) || !slices.Equal(lazy.state[0], adam.state[0]) ||
			!slices.Equal(lazy.state[1], adam.state[1]) {
			t.Errorf("step %d: %v, want %v", i, got, want)
		}
	}
}
