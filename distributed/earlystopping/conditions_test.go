package earlystopping

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// TestEpochConditions checks which of the epochs 0, 1, 2, … with these scores ends training.
func TestEpochConditions(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		condition EpochCondition
		minimize  bool
		scores    []float64
		ends      int // -1: none
	}{
		{MaxEpochs{1}, true, []float64{1}, 0},
		{MaxEpochs{3}, true, []float64{1, 2, 3, 4}, 2},
		{BestScore{0.5}, true, []float64{0.9, 0.5, 0.4, 0.3}, 2},
		{BestScore{0.5}, false, []float64{0.1, 0.5, 0.6}, 2},
		{BestScore{0.5}, true, []float64{nan, 0.6}, -1},
		{ScoreImprovement{Patience: 2}, true, []float64{5, 4, 4, 4, 3}, 3},
		{ScoreImprovement{Patience: 2}, true, []float64{5, 4, 4, 3, 4, 3}, 5},
		{ScoreImprovement{Patience: 2}, false, []float64{1, 2, 2, 1}, 3},
		{ScoreImprovement{Patience: 1}, true, []float64{5, 6}, 1},
		{ScoreImprovement{Patience: 0}, true, []float64{5, 6}, 1},
		{ScoreImprovement{Patience: 1}, true, []float64{5, 4, 3, 2}, -1},
		// 5 → 4.5 and 4.5 → 4 are too little, 5 → 3.5 is enough. An improvement of exactly MinImprovement doesn't
		// count.
		{ScoreImprovement{Patience: 3, MinImprovement: 1}, true, []float64{5, 4.5, 4, 3.5, 3, 2.5, 2.5}, 6},
		{ScoreImprovement{Patience: 3, MinImprovement: 1}, false, []float64{1, 1.5, 2, 2.5, 3, 3.5, 3.5}, 6},
		{ScoreImprovement{Patience: 2}, true, []float64{nan, 7, 6, nan, nan}, 4},
	} {
		ends := c.condition.Begin()
		got := -1
		for epoch, s := range c.scores {
			if ends(epoch, s, c.minimize) {
				got = epoch
				break
			}
		}
		if got != c.ends {
			t.Errorf("%v, minimize %v, of %v ends with epoch %d, not %d", c.condition, c.minimize, c.scores, got, c.ends)
		}
	}
}

// TestPatienceOfFewScores checks that epochs without a score count.
func TestPatienceOfFewScores(t *testing.T) {
	ends := ScoreImprovement{Patience: 4}.Begin()
	for _, c := range []struct {
		epoch int
		score float64
		ends  bool
	}{{0, 5, false}, {3, 4, false}, {6, 4, false}, {9, 4, true}} {
		if ends(c.epoch, c.score, true) != c.ends {
			t.Errorf("epoch %d of score %v: it does not end training: %v", c.epoch, c.score, c.ends)
		}
	}
}

func TestIterationConditions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		condition IterationCondition
		score     float64
		ends      bool
	}{
		{MaxScore{2}, 1, false}, {MaxScore{2}, 2, false}, {MaxScore{2}, 2.1, true}, {MaxScore{2}, nan, true},
		{MaxScore{2}, -inf, false},
		{InvalidScore{}, 1e300, false}, {InvalidScore{}, nan, true}, {InvalidScore{}, inf, true},
		{InvalidScore{}, -inf, true},
	} {
		if got := c.condition.Begin()(c.score); got != c.ends {
			t.Errorf("%v of a score of %v: %v", c.condition, c.score, got)
		}
	}
}

// TestMaxTime checks that the time starts with the training, and anew for each training.
func TestMaxTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := MaxTime{time.Minute}
		first := c.Begin()
		time.Sleep(time.Minute - 1)
		if first(0) {
			t.Error("it ends before its time")
		}
		second := c.Begin()
		time.Sleep(time.Nanosecond)
		if !first(0) || second(0) {
			t.Error("after a minute the first one does not end, or the second one does")
		}
	})
}

// TestValidate checks that errors name the settings that make no sense.
func TestValidate(t *testing.T) {
	calculator := fixed{}
	for field, c := range map[string]Config{
		"Epoch":                           {Calculator: calculator},
		"Epoch[0]":                        {Epoch: []EpochCondition{nil}, Calculator: calculator},
		"Iteration[1]":                    {Iteration: []IterationCondition{InvalidScore{}, nil}, Calculator: calculator},
		"Calculator":                      {Iteration: []IterationCondition{InvalidScore{}}},
		"Every":                           {Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: calculator, Every: -1},
		"MaxEpochs.Epochs":                {Epoch: []EpochCondition{MaxEpochs{}}, Calculator: calculator},
		"BestScore.Score":                 {Epoch: []EpochCondition{BestScore{math.NaN()}}, Calculator: calculator},
		"ScoreImprovement.Patience":       {Epoch: []EpochCondition{ScoreImprovement{-1, 0}}, Calculator: calculator},
		"ScoreImprovement.MinImprovement": {Epoch: []EpochCondition{ScoreImprovement{1, -1}}, Calculator: calculator},
		"MaxTime.Time":                    {Iteration: []IterationCondition{MaxTime{}}, Calculator: calculator},
		"MaxScore.Score":                  {Iteration: []IterationCondition{MaxScore{math.NaN()}}, Calculator: calculator},
		"Loss.Data":                       {Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: Loss{}},
		"Classification.Metric": {Epoch: []EpochCondition{MaxEpochs{1}},
			Calculator: Classification{Metric: "accuracy"}},
		"Classification.Data": {Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: Classification{Metric: Accuracy}},
		"Regression.Metric":   {Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: Regression{}},
		"ROC.Type":            {Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: ROC{}},
		"ROC.Metric":          {Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: ROC{Type: ROCSingle, Metric: "AUCPR"}},
		"ROC.ThresholdSteps":  {Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: ROC{Type: ROCSingle, ThresholdSteps: -1}},
		"Before.Scores": {Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: calculator,
			Before: Progress{1, []Score{{1, 0}}}},
		"Saver": {Epoch: []EpochCondition{MaxEpochs{2}}, Calculator: calculator, Before: Progress{1, []Score{{0, 0}}}},
	} {
		var e *ConfigError
		if err := c.Validate(); !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := (Config{Epoch: []EpochCondition{MaxEpochs{1}}, Calculator: calculator}).Validate(); err != nil {
		t.Error(err)
	}
}
