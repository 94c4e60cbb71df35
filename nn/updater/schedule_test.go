package updater

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/near"
)

// Deeplearning4j's values of its own schedules.
func TestScheduleValues(t *testing.T) {
	text, err := os.ReadFile("testdata/schedulevalues.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Schedule json.RawMessage
		Values   [][3]float64 // iteration, epoch, value
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var s Schedule
		if err := dl4j.Unmarshal(c.Schedule, &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		for _, v := range c.Values {
			if got := s.Value(int(v[0]), int(v[1])); !near.Equal(got, v[2], 0, 1e-11) {
				t.Errorf("%+v at iteration %g, epoch %g is %g, want %g", s, v[0], v[1], got, v[2])
			}
		}
	}
}

func TestSchedulesReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/schedules.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []Schedule
	if err := dl4j.Unmarshal(want, &list); err != nil {
		t.Fatal(err)
	}
	if got, err := dl4j.Marshal(list); err != nil || string(got) != string(want) {
		t.Errorf("%v, written as\n%s", err, got)
	}
}

func TestRampSchedule(t *testing.T) {
	s := RampSchedule{Base: StepSchedule{Type: Epoch, InitialValue: 8, DecayRate: 0.5, Step: 1}, NumIter: 4}
	for i, want := range []float64{2, 4, 6, 8, 8, 8} {
		if got := s.Value(i, 0); got != want {
			t.Errorf("iteration %d is %g, want %g", i, got, want)
		}
	}
	if got := s.Value(1, 2); got != 1 {
		t.Errorf("iteration 1 of epoch 2 is %g, want 1", got)
	}
	text, err := dl4j.Marshal(&[]Schedule{s})
	var back []Schedule
	if err == nil {
		err = dl4j.Unmarshal(text, &back)
	}
	if err != nil || !reflect.DeepEqual(back, []Schedule{s}) {
		t.Errorf("%v: read back as %+v", err, back)
	}
}

func TestNewCycle(t *testing.T) {
	if got, want := NewCycleSchedule(Epoch, 1, 25), (CycleSchedule{0.1, 3, 25, 0.1, 1, Epoch, false}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInvalidSchedules(t *testing.T) {
	for want, s := range map[string]Schedule{
		"value is NaN":             FixedSchedule{math.NaN()},
		"schedule type":            ExponentialSchedule{Type: "iteration", InitialValue: 1},
		"step is 0":                StepSchedule{Type: Iteration, InitialValue: 1},
		"initialValue is +Inf":     InverseSchedule{Type: Iteration, InitialValue: math.Inf(1)},
		"maxIter is 0":             PolySchedule{Type: Iteration, InitialValue: 1},
		"gamma is NaN":             SigmoidSchedule{Type: Epoch, Gamma: math.NaN()},
		"no value for 0":           MapSchedule{Type: Epoch, Values: ScheduleValues{1: 1}},
		"key -2 is negative":       MapSchedule{Type: Epoch, Values: ScheduleValues{0: 1, -2: 1}},
		"no room in a cycle of 4":  CycleSchedule{Type: Epoch, CycleLength: 4, AnnealingLength: 3},
		"it has no base":           RampSchedule{NumIter: 3},
		"StepSchedule: step is -1": RampSchedule{Base: StepSchedule{Type: Iteration, Step: -1}, NumIter: 3},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", s, err, want)
		}
	}
	for text, want := range map[string]string{
		`[{"@class":"org.nd4j.linalg.schedule.StepSchedule","scheduleType":"HOUR"}]`: `[0].scheduleType: schedule type "HOUR"`,
		`[{"@class":"org.nd4j.linalg.schedule.MapSchedule","values":{"x":1}}]`:       `[0].values: key "x"`,
		`[{"@class":"org.nd4j.linalg.schedule.CycleSchedule","speed":1}]`:            `[0].speed: unknown member`,
		`[{"@class":"org.nd4j.linalg.schedule.WarpSchedule"}]`:                       `unknown class "org.nd4j.linalg.schedule.WarpSchedule"`,
	} {
		var list []Schedule
		if err := dl4j.Unmarshal([]byte(text), &list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

// TestFactorsLeftOut: a factor that a literal leaves out is refused by name; a 0 from a file is intended.
func TestFactorsLeftOut(t *testing.T) {
	for name, s := range map[string]Schedule{
		"gamma":                     ExponentialSchedule{Type: Epoch, InitialValue: 0.1},
		"decayRate":                 StepSchedule{Type: Epoch, InitialValue: 0.1, Step: 2},
		"maxIter":                   PolySchedule{Type: Epoch, InitialValue: 0.1, Power: 1},
		"type":                      InverseSchedule{InitialValue: 0.1},
		"power":                     PolySchedule{Type: Epoch, InitialValue: 0.1, MaxIter: 3},
		"initialValue is 0; set it": SigmoidSchedule{Type: Epoch, Gamma: 0.1},
		"InverseSchedule: gamma":    InverseSchedule{Type: Epoch, InitialValue: 0.1, Power: 1},
		"InverseSchedule: power":    InverseSchedule{Type: Epoch, InitialValue: 0.1, Gamma: 1},
		"SigmoidSchedule: gamma":    SigmoidSchedule{Type: Epoch, InitialValue: 0.1, StepSize: 3},
		"numIter":                   RampSchedule{Base: FixedSchedule{0.1}},
		"maxLearningRate":           CycleSchedule{Type: Epoch, InitialLearningRate: 0.1, CycleLength: 4},
		"initialLearningRate":       CycleSchedule{Type: Epoch, MaxLearningRate: 0.1, CycleLength: 4},
		"annealingDecay": CycleSchedule{Type: Epoch, InitialLearningRate: 0.1, MaxLearningRate: 1, CycleLength: 6,
			AnnealingLength: 2},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%T without %s: %v", s, name, err)
		}
	}
	still := `{"@class":"org.nd4j.linalg.schedule.CycleSchedule","annealingDecay":0.0,"annealingLength":2,"cycleLength":6,` +
		`"initialLearningRate":0.1,"maxLearningRate":0.0,"scheduleType":"EPOCH","increment":-0.05,"stepSize":2}`
	no := CycleSchedule{Type: Epoch, InitialLearningRate: 0.1, MaxLearningRate: 1, CycleLength: 4}
	if err := no.Validate(); err != nil {
		t.Errorf("a cycle that does not anneal: %v", err)
	}
	for _, text := range []string{
		still,
		`{"@class":"org.nd4j.linalg.schedule.RampSchedule","baseSchedule":` + still + `,"numIter":0}`,
		`{"@class":"org.nd4j.linalg.schedule.ExponentialSchedule","gamma":0.0,"initialValue":0.1,"scheduleType":"EPOCH"}`,
		`{"@class":"org.nd4j.linalg.schedule.StepSchedule","decayRate":0.0,"initialValue":0.1,"scheduleType":"EPOCH","step":2.0}`,
	} {
		var s Schedule
		if err := dl4j.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err != nil || s.Value(0, 0) != 0.1 || s.Value(0, 5) != 0 {
			t.Errorf("%s: %v, %v, %v", text, err, s.Value(0, 0), s.Value(0, 5))
		}
		again, err := dl4j.Marshal(&s)
		if got := strings.Join(strings.Fields(string(again)), ""); err != nil || got != text {
			t.Errorf("%s is written as %s, %v", text, got, err)
		}
	}
}
