package schedule

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

// Deeplearning4j's values of its own schedules.
func TestValues(t *testing.T) {
	text, err := os.ReadFile("testdata/values.json")
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
			if got := s.Value(int(v[0]), int(v[1])); math.Abs(got-v[2]) > 1e-11*math.Abs(v[2]) {
				t.Errorf("%+v at iteration %g, epoch %g is %g, want %g", s, v[0], v[1], got, v[2])
			}
		}
	}
}

func TestObjectsReadAndWriteAsDeeplearning4jDoes(t *testing.T) {
	want, err := os.ReadFile("testdata/objects.json")
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

func TestRamp(t *testing.T) {
	s := Ramp{Base: Step{Type: Epoch, InitialValue: 8, DecayRate: 0.5, Step: 1}, NumIter: 4}
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
	if got, want := NewCycle(Epoch, 1, 25), (Cycle{0.1, 3, 25, 0.1, 1, Epoch}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestInvalidSettings(t *testing.T) {
	for want, s := range map[string]Schedule{
		"value is NaN":              Fixed{math.NaN()},
		"schedule type":             Exponential{Type: "iteration", InitialValue: 1},
		"step is 0":                 Step{Type: Iteration, InitialValue: 1},
		"initialValue is +Inf":      Inverse{Type: Iteration, InitialValue: math.Inf(1)},
		"maxIter is 0":              Poly{Type: Iteration, InitialValue: 1},
		"gamma is NaN":              Sigmoid{Type: Epoch, Gamma: math.NaN()},
		"no value for 0":            Map{Type: Epoch, Values: Values{1: 1}},
		"key -2 is negative":        Map{Type: Epoch, Values: Values{0: 1, -2: 1}},
		"no room in a cycle of 4":   Cycle{Type: Epoch, CycleLength: 4, AnnealingLength: 3},
		"it has no base":            Ramp{NumIter: 3},
		"Step schedule: step is -1": Ramp{Step{Type: Iteration, Step: -1}, 3},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", s, err, want)
		}
	}
	for text, want := range map[string]string{
		`[{"@class":"org.nd4j.linalg.schedule.StepSchedule","scheduleType":"HOUR"}]`: `[0].scheduleType: schedule type "HOUR"`,
		`[{"@class":"org.nd4j.linalg.schedule.MapSchedule","values":{"x":1}}]`:       `[0].values: key "x"`,
		`[{"@class":"org.nd4j.linalg.schedule.CycleSchedule","speed":1}]`:            `[0].speed: nobody knows`,
		`[{"@class":"org.nd4j.linalg.schedule.WarpSchedule"}]`:                       `unknown class "org.nd4j.linalg.schedule.WarpSchedule"`,
	} {
		var list []Schedule
		if err := dl4j.Unmarshal([]byte(text), &list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}
