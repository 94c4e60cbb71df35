package nn

import (
	"errors"
	"testing"

	"github.com/dl4go/dl4go/internal/checkup"
)

// TestParametersBeyondMemory: parameters that the machine has no memory for are an error, not the end of the program.
func TestParametersBeyondMemory(t *testing.T) {
	if checkup.ReadMemory().Available == 0 {
		return // nothing is known of this machine
	}
	n := new(Network)
	n.layout.params = 1 << 50
	var none *checkup.MemoryError
	if err := n.allocate(); !errors.As(err, &none) || n.params != nil {
		t.Error(err)
	}
}
