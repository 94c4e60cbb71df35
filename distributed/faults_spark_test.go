//go:build spark

package distributed_test

import (
	"testing"

	"github.com/dl4go/dl4go/distributed/paramavg"
)

func TestCountingOnSpark(t *testing.T) {
	faulty{open: ownSpark, executors: true}.countUnderFaults(t)
}

func TestTrainingUnderFaultsOnSpark(t *testing.T) {
	faulty{open: onSpark}.trainUnderFaults(t, paramavg.Direct, paramavg.Export)
}
