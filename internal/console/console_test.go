package console

import (
	"errors"
	"testing"
)

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestLostOutput: a command whose lines could not be written fails at its end.
func TestLostOutput(t *testing.T) {
	for _, json := range []bool{false, true} {
		o := New(full{}, full{}, json)
		o.Line("score %g", 0.5)
		if err := o.Done(Event{"score": 0.5}); !errors.Is(err, errFull) {
			t.Errorf("json %v: got %v", json, err)
		}
	}
}
