package threshold

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

// halving is a user's algorithm that halves its threshold now and then. Its state counts the steps.
type halving struct {
	Every   float64 `dl4j:"every"`
	Initial float64 `dl4j:"initial"`
	Steps   float64 `dl4j:"steps"`
}

func (a halving) Start() State           { s := NewState(); s.Own = []float64{a.Steps}; return s }
func (a halving) From(s State) Algorithm { a.Steps = s.Own[0]; return a }
func (a halving) Validate() error        { return nil }
func (a halving) Threshold(s *State, step *Step) float64 {
	s.Own[0]++
	return a.Initial * math.Exp2(-math.Floor((s.Own[0]-1)/a.Every))
}

// zeroing is a user's post-processor.
type zeroing struct {
	From int32 `dl4j:"from"`
}

func (p zeroing) Validate() error { return nil }
func (p zeroing) Process(c *Coder, iteration, epoch int, threshold float64, residual []float32) Removed {
	return c.Clip(residual[p.From:], 0)
}

func init() {
	Algorithms.Register("com.example.Halving", func() Algorithm { return halving{Every: 2, Initial: 1} })
	PostProcessors.Register("com.example.Zeroing", func() PostProcessor { return zeroing{} })
}

type settings struct {
	Algorithm     Algorithm     `dl4j:"thresholdAlgorithm"`
	PostProcessor PostProcessor `dl4j:"residualPostProcessor"`
}

// UnmarshalTree also reads Deeplearning4j's form, as a training master does.
func (s *settings) UnmarshalTree(tree any) error {
	type plain settings
	var o dl4j.Object
	for _, m := range tree.(dl4j.Object) {
		switch m.Name {
		case "thresholdAlgorithm":
			m.Value = InferAlgorithm(m.Value)
		case "residualPostProcessor":
			m.Value = InferPostProcessor(m.Value)
		}
		o = append(o, m)
	}
	return dl4j.FromTree(o, (*plain)(s))
}

func TestSettingsRoundTrip(t *testing.T) {
	adapted := NewAdaptive(0.5).From(State{LastThreshold: 0.25, LastSparsity: 0.125})
	counting := NewAdaptive(0.5)
	counting.CountBitmaps = true
	for _, s := range []settings{
		{Default(), NewResidualClipping()},
		{adapted, nil},
		{counting, nil},
		{NewTargetSparsity(0.02).From(State{LastThreshold: 0.25, LastSparsity: 0.125}), ResidualClipping{3, 7}},
		{Fixed{T: 0.125}, zeroing{4}},
		{Largest{Share: 0.25}, nil},
		{halving{Every: 3, Initial: 2, Steps: 5}, nil},
	} {
		text, err := dl4j.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), `"@class"`) {
			t.Errorf("no class in\n%s", text)
		}
		var got settings
		if err := dl4j.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		again, err := dl4j.Marshal(got)
		if err != nil || string(again) != string(text) || reflect.TypeOf(got.Algorithm) != reflect.TypeOf(s.Algorithm) {
			t.Errorf("%v\n%s\nread and written as\n%s", err, text, again)
		}
	}
}

// TestSettingsOfDeeplearning4j reads settings without classes. The members show the class.
func TestSettingsOfDeeplearning4j(t *testing.T) {
	const state = `"lastSparsity" : "NaN", "lastThreshold" : "NaN"`
	for text, want := range map[string]settings{
		`{"thresholdAlgorithm" : {"decayRate" : 0.9659363289248456, "initialThreshold" : 0.001, ` + state + `,
		  "maxTargetSparsity" : 0.01, "minTargetSparsity" : 1.0E-4},
		  "residualPostProcessor" : {"frequency" : 5, "thresholdMultipleClipValue" : 5.0}}`: {NewAdaptive(0.001),
			NewResidualClipping()},
		`{"thresholdAlgorithm" : {"decayRate" : 0.9659363289248456, "initialThreshold" : 1.0E-4, ` + state + `,
		  "sparsityTarget" : 0.001}, "residualPostProcessor" : null}`: {NewTargetSparsity(0.001), nil},
		`{"thresholdAlgorithm" : {"threshold" : 0.01}}`: {Fixed{T: 0.01}, nil},
	} {
		var got settings
		if err := dl4j.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		a, _ := dl4j.Marshal(got)
		if b, _ := dl4j.Marshal(want); string(a) != string(b) {
			t.Errorf("%s is read as\n%s", text, a)
		}
	}
	for _, text := range []string{`{"thresholdAlgorithm" : {}}`, `{"thresholdAlgorithm" : {"thresholds" : 1}}`,
		`{"thresholdAlgorithm" : 3}`} {
		var got settings
		if err := dl4j.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s is read as %+v", text, got)
		}
	}
}

// TestStateOfFewParameters checks a sparsity above 1: a message of a few parameters has more words than there are
// parameters.
func TestStateOfFewParameters(t *testing.T) {
	for _, a := range []Algorithm{NewAdaptive(0.5), NewTargetSparsity(0.02)} {
		if err := a.From(State{LastThreshold: 0.25, LastSparsity: 26. / 22}).Validate(); err != nil {
			t.Error(err)
		}
	}
}

func TestBadSettings(t *testing.T) {
	nan := math.NaN()
	change := func(f func(a *Adaptive)) Adaptive { a := NewAdaptive(1e-3); f(&a); return a }
	const adaptive = "AdaptiveThresholdAlgorithm"
	for want, v := range map[string]interface{ Validate() error }{
		adaptive + ": initialThreshold is 0: must be a number above 0": NewAdaptive(0),
		adaptive + ": initialThreshold is NaN":                         NewAdaptive(nan),
		adaptive + ": initialThreshold is 1e-60":                       NewAdaptive(1e-60),
		adaptive + ": minTargetSparsity is 2: must be in [0, 1]": change(func(a *Adaptive) {
			a.MinTargetSparsity = 2
		}),
		adaptive + ": minTargetSparsity is 0.5: must not be above maxTargetSparsity": change(func(a *Adaptive) {
			a.MinTargetSparsity = 0.5
		}),
		adaptive + ": maxTargetSparsity is -1: must be in [0, 1]": change(func(a *Adaptive) {
			a.MaxTargetSparsity = -1
		}),
		adaptive + ": decayRate is 0: must be in (0, 1]": change(func(a *Adaptive) {
			a.DecayRate = 0
		}),
		adaptive + ": lastThreshold is -1: must be a number above 0, or NaN": change(func(a *Adaptive) {
			a.LastThreshold = -1
		}),
		adaptive + ": lastSparsity is +Inf: must be a number from 0 on, or NaN": change(func(a *Adaptive) {
			a.LastSparsity = math.Inf(1)
		}),
		"TargetSparsityThresholdAlgorithm: sparsityTarget is 3: must be in [0, 1]":                 NewTargetSparsity(3),
		"FixedThresholdAlgorithm: threshold is -1: must be a number above 0":                       Fixed{T: -1},
		"Largest: share is 0: must be above 0 and at most 1":                                       Largest{},
		"ResidualClippingPostProcessor: frequency is 0: must be above 0":                           ResidualClipping{5, 0},
		"ResidualClippingPostProcessor: thresholdMultipleClipValue is 0: must be a number above 0": ResidualClipping{0, 5},
	} {
		if err := v.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", v, err, want)
		}
	}
	if s := NewState(); (Fixed{T: 1}).From(s) != Algorithm(Fixed{T: 1}) {
		t.Error("a fixed threshold changes")
	}
	for _, v := range []interface{ Validate() error }{Default(), NewTargetSparsity(1e-3), Fixed{T: 1e-3},
		NewResidualClipping()} {
		if err := v.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// TestMerge checks that each merged number is the mean over the states that have it.
func TestMerge(t *testing.T) {
	nan := math.NaN()
	got := Merge([]State{{0.25, 0.5, nil}, {nan, 0.25, []float64{1, 2}}, {0.75, nan, []float64{nan, 4}}, NewState()})
	if !reflect.DeepEqual(got, State{0.5, 0.375, []float64{1, 3}}) {
		t.Errorf("%+v", got)
	}
	if got := Merge(nil); !math.IsNaN(got.LastThreshold) || !math.IsNaN(got.LastSparsity) || got.Own != nil {
		t.Errorf("of none: %+v", got)
	}
}

// TestKeptState checks that the next fit starts from the merged state. Its first step has no last message.
func TestKeptState(t *testing.T) {
	first := Step{LastThreshold: math.NaN(), LastSparsity: math.NaN()}
	for want, s := range map[float64]State{
		0.5:             {0.5, 0.001, nil},
		0.5 * decayRate: {0.5, 1e-6, nil},
		1e-4:            {math.NaN(), 0.5, nil},
		0.25:            {0.25, math.NaN(), nil},
	} {
		a := Default().From(s)
		state := a.Start()
		if got := a.Threshold(&state, &first); got != want {
			t.Errorf("%+v: %v, want %v", s, got, want)
		}
		if state.LastThreshold != want {
			t.Errorf("%+v: kept as %+v", s, state)
		}
	}
}
