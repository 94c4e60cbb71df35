package paramavg

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestPaceChooses checks that the chosen frequency makes the exchange take a quarter of the computing time, within the
// limits.
func TestPaceChooses(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name              string
		outer             bool
		before, rounds, n int // minibatches per round
		step, exchange    time.Duration
		want              int
	}{
		{"free", false, 5, 40, 5, 10 * ms, 0, 1},
		{"a quarter", false, 5, 40, 5, 10 * ms, 25 * ms, 10},
		{"a little more than a quarter", false, 5, 40, 5, 10 * ms, 26 * ms, 11},
		{"costly", false, 5, 40, 5, 1 * ms, 1000 * ms, 20},
		{"costly, with an outer optimiser", true, 5, 100, 5, 1 * ms, 1000 * ms, 100},
		{"few rounds", false, 5, 8, 5, 1 * ms, 1000 * ms, 10},
		{"one round", false, 5, 1, 3, 1 * ms, 1000 * ms, 1},
		{"like before", false, 5, 40, 5, 10 * ms, 15 * ms, 5},
		{"a frequency that is too high", false, 1000, 4, 20, 10 * ms, 1000 * ms, 20},
	} {
		p := newPacer(c.outer)
		for r := range c.rounds {
			exchange := c.exchange
			if r == 0 && c.rounds > 2 {
				exchange += time.Hour // as the first round starts the workers
			}
			p.round(time.Duration(c.n)*c.step+exchange, time.Duration(c.n)*c.step, c.n)
		}
		got, ok := p.choose(c.before)
		if !ok || got.Frequency != c.want || got.Step != c.step || got.Exchange != c.exchange {
			t.Errorf("%s: %+v, %v, want a frequency of %d", c.name, got, ok, c.want)
		}
		if p.minibatches != 0 || p.exchanges != nil {
			t.Errorf("%s: the next pass begins with the measurements of this one", c.name)
		}
	}
	if got, ok := newPacer(false).choose(5); ok {
		t.Errorf("without a round: %+v", got)
	}
}

// paced trains epochs with a master that measures an exchange as long as two steps. It starts from state, if not nil.
// It returns the chosen frequencies and the number of rounds of each epoch.
func paced(t *testing.T, way Way, state []byte, epochs, done int) (chosen, rounds []int, end []byte) {
	t.Helper()
	c := config(4, 5)
	c.NumWorkers = 2
	m, err := New(c, Options{Rounds: way, AutoFrequency: true,
		Paced: func(p Pace) { chosen = append(chosen, p.Frequency) }})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Restore(state); err != nil {
		t.Fatal(err)
	}
	minibatches := 0
	m.pacer.measured = func(_, computing time.Duration) (time.Duration, time.Duration) {
		if computing <= 0 {
			t.Error("a round came without its time")
		}
		return time.Duration(minibatches+2) * time.Second, time.Duration(minibatches) * time.Second
	}
	net := network(t, updater.NewSgd(), nil)
	net.SetEpoch(done)
	d, err := distributed.FromDataSets(open(t, "local[2]"), single(examples(t, 400)), 2)
	if err != nil {
		t.Fatal(err)
	}
	minibatches = 5
	for range epochs {
		n := 0
		if len(chosen) > 0 {
			minibatches = chosen[len(chosen)-1]
		} else if m.pacer.frequency > 0 {
			minibatches = m.pacer.frequency
		}
		if err := m.Fit(t.Context(), net, d, func(distributed.Round) { n++ }); err != nil {
			t.Fatal(err)
		}
		rounds = append(rounds, n)
	}
	end, err = m.State()
	if err != nil {
		t.Fatal(err)
	}
	return chosen, rounds, end
}

// TestPaced checks that the second epoch has the frequency that the first one chose, and that a checkpoint keeps it.
func TestPaced(t *testing.T) {
	for _, way := range []Way{Jobs, Resident} {
		// Each worker has 50 minibatches. In rounds of 5, an exchange of 2 s with steps of 1 s calls for rounds of 8.
		chosen, rounds, state := paced(t, way, nil, 2, 0)
		if !slices.Equal(chosen, []int{8, 8}) || !slices.Equal(rounds, []int{10, 7}) {
			t.Errorf("%s: frequencies %v, rounds %v", way, chosen, rounds)
		}
		chosen, rounds, again := paced(t, way, state, 1, 2)
		if !slices.Equal(chosen, []int{8}) || !slices.Equal(rounds, []int{7}) || !bytes.Equal(again, state) {
			t.Errorf("%s, resumed: frequencies %v, rounds %v", way, chosen, rounds)
		}
	}
}

// TestPacedStateIsKnown checks that a master without AutoFrequency refuses the state, and that one with it accepts any
// other.
func TestPacedStateIsKnown(t *testing.T) {
	p := newPacer(true)
	p.frequency = 70
	if rest, n := unwrap(p.wrap([]byte("outer"))); string(rest) != "outer" || n != 70 {
		t.Errorf("%q, %d", rest, n)
	}
	if rest, n := unwrap([]byte("outer")); string(rest) != "outer" || n != 0 {
		t.Errorf("%q, %d", rest, n)
	}
	m, err := New(config(4, 5), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Restore(p.wrap(nil)); err == nil {
		t.Error("a master without AutoFrequency takes a frequency")
	}
}
