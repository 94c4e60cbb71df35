package nn

import (
	"errors"
	"testing"

	"github.com/dl4go/dl4go/internal/checkup"
)

// TestParametersBeyondMemory: parameters that exceed the machine's memory are an error and do not crash the program.
func TestParametersBeyondMemory(t *testing.T) {
	if checkup.ReadMemory().Available == 0 {
		return // the size of this machine's memory is unknown
	}
	n := new(Network)
	n.layout.params = 1 << 50
	var none *checkup.MemoryError
	if err := n.allocate(); !errors.As(err, &none) || n.params != nil {
		t.Error(err)
	}
}
