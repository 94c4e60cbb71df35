package sharing

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/threshold"
)

// TestBacklog: what is subtracted late is what would have been subtracted at once, however many messages come before
// somebody looks, and nothing of what is dropped.
func TestBacklog(t *testing.T) {
	const n = 5000
	coder := threshold.NewCoder(nil)
	e, err := threshold.NewEncoder(coder, n, threshold.Fixed{T: 0.5}, nil, threshold.Options{})
	if err != nil {
		t.Fatal(err)
	}
	update := make([]float32, n)
	b := backlog{coder: coder}
	got, want := make([]float32, n), make([]float32, n)
	for step := range 3*mostBacklog + 2 {
		for i := range update {
			update[i] = float32((i*7+step*13)%11)/5 - 1
		}
		m, err := e.Encode(step, 0, update)
		if err != nil {
			t.Fatal(err)
		}
		if err := coder.Subtract(m, want); err != nil {
			t.Fatal(err)
		}
		if step%5 == 4 {
			if err := b.add(m, got); err != nil { // the encoder's own, which the next step writes over
				t.Fatal(err)
			}
			if err := b.subtract(got); err != nil {
				t.Fatal(err)
			}
		} else if _, err := b.read(m.AppendWire(nil), got); err != nil {
			t.Fatal(err)
		}
		if len(b.all) >= mostBacklog || len(b.all)+len(b.spare) > mostBacklog {
			t.Errorf("step %d: %d messages wait, and there is memory for %d more", step, len(b.all), len(b.spare))
		}
	}
	if slices.Equal(got, want) {
		t.Error("nothing waited")
	}
	if err := b.subtract(got); err != nil || !slices.Equal(got, want) {
		t.Errorf("the parameters are others than at once (%v)", err)
	}
	m, err := e.Encode(0, 1, update)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.read(m.AppendWire(nil)[1:], got); err == nil || len(b.all) != 0 {
		t.Errorf("a damaged message: %v, %d wait", err, len(b.all))
	}
	if _, err := b.read(m.AppendWire(nil), got); err != nil {
		t.Fatal(err)
	}
	b.drop()
	if err := b.subtract(got); err != nil || !slices.Equal(got, want) {
		t.Errorf("what was dropped was subtracted (%v)", err)
	}
}
