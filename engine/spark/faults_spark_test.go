//go:build spark

package spark_test

import (
	"testing"

	"github.com/dl4go/dl4go/engine/faulttest"
)

// TestFaults makes faults of every kind. Nobody repeats the task of a worker that gave no output and ended well.
func TestFaults(t *testing.T) {
	faulttest.Run(t, faulttest.Engine{Open: open, Together: 2, Trusting: true})
}
