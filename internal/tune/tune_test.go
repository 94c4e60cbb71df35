package tune

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

func TestMain(m *testing.M) {
	engine.Main()
	m.Run()
}

// TestPlan: from rung to rung, the epochs are multiplied and the trials divided by the same factor.
func TestPlan(t *testing.T) {
	for _, c := range []struct {
		of   Config
		want []Rung
	}{
		{Config{Search: Random, Trials: 30, Epochs: 27, Keep: 3}, []Rung{{27, 30}}},
		{Config{Search: Halving, Trials: 30, Epochs: 27, Keep: 3}, []Rung{{1, 30}, {3, 10}, {9, 3}, {27, 1}}},
		{Config{Search: Halving, Trials: 4, Epochs: 10, Keep: 2}, []Rung{{2, 4}, {5, 2}, {10, 1}}},
		{Config{Search: Halving, Trials: 2, Epochs: 9, Keep: 3}, []Rung{{9, 2}}},
		{Config{Search: Halving, Trials: 30, Epochs: 1, Keep: 3}, []Rung{{1, 30}}},
	} {
		if got := c.of.Plan(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c.of, got)
		}
	}
	if n := Passes([]Rung{{1, 9}, {3, 3}, {9, 1}}); n != 9+2*3+6 {
		t.Errorf("%d passes", n)
	}
}

// TestDraw: a trial's settings only depend on the seed, its number and the setting's name, and are in their ranges.
func TestDraw(t *testing.T) {
	all, err := NewSpace(map[string]string{"layers": "1..3", "hidden": "8..16", "activation": "relu|tanh"})
	if err != nil {
		t.Fatal(err)
	}
	few, err := NewSpace(map[string]string{"dropout": "0.5"})
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]bool{}
	for n := range 200 {
		a, b := all.Draw(7, n, 0), few.Draw(7, n, 0)
		if a.Get("learning-rate") != b.Get("learning-rate") || a.Get("batch") != b.Get("batch") {
			t.Errorf("trial %d: another setting changes the draw: %v, %v", n, a, b)
		}
		w, err := a.Wish()
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Shape.Hidden) < 1 || len(w.Shape.Hidden) > 3 || w.Shape.Hidden[0] < 8 || w.Shape.Hidden[0] > 16 {
			t.Errorf("trial %d: hidden %v", n, w.Shape.Hidden)
		}
		if r := w.Shape.LearningRate; r < 1e-4 || r > 0.1 {
			t.Errorf("trial %d: rate %v", n, r)
		}
		sizes[a.Get("hidden")] = true
	}
	if got := all.Draw(1, 1, 0).String(); got == all.Draw(2, 1, 0).String() || got == all.Draw(1, 1, 1).String() {
		t.Errorf("other seeds and attempts draw the same: %s", got)
	}
	if len(sizes) < 20 {
		t.Errorf("only %d different hidden layers", len(sizes))
	}
}

// TestBest: the lower loss breaks ties of accuracy, and a trial that diverged is the worst.
func TestBest(t *testing.T) {
	epoch := func(accuracy, loss float64) Epoch { return Epoch{Accuracy: &accuracy, Loss: &loss} }
	a := &Trial{Number: 1, Epochs: []Epoch{epoch(0.5, 1), epoch(0.9, 0.4), epoch(0.9, 0.3)}}
	b := &Trial{Number: 2, Epochs: []Epoch{epoch(0.9, 0.35)}}
	lost := &Trial{Number: 3, Epochs: []Epoch{epoch(1, 0)}, Diverged: "NaN"}
	if i := a.Best("accuracy", 3); i != 2 {
		t.Errorf("the best epoch is %d", i)
	}
	if a.compare(b, "accuracy", 3) >= 0 || a.compare(b, "accuracy", 2) <= 0 || b.compare(lost, "accuracy", 3) >= 0 {
		t.Error("the order of trials is wrong")
	}
}

// TestMessages: damaged bytes are errors, not panics.
func TestMessages(t *testing.T) {
	b, err := head{Epochs: 3}.pack([]byte("state"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if h, states, err := unpack(b); err != nil || h.Epochs != 3 || len(states) != 2 || string(states[0]) != "state" {
		t.Errorf("%+v, %q, %v", h, states, err)
	}
	for n := range b {
		if _, _, err := unpack(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(b))
		}
		if _, err := unship(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are data", n, len(b))
		}
		if checkState(b[:n]) == nil {
			t.Errorf("%d of %d bytes are a state", n, len(b))
		}
	}
}

// TestQuote: a shell splits the line into the original arguments.
func TestQuote(t *testing.T) {
	if got, want := Quote([]string{"a,b", "x y", "it's", "", "c|d"}), `a,b 'x y' 'it'\''s' '' 'c|d'`; got != want {
		t.Errorf("got %s", got)
	}
}
