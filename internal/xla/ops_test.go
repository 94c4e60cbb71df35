package xla

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
)

// Every operation of programs can be translated. The test of each is TestOperations.
func TestOpsAreComplete(t *testing.T) {
	if got, want := Ops(), naive.Ops(); !slices.Equal(got, want) {
		t.Errorf("XLA has %q\nwant %q", got, want)
	}
}
