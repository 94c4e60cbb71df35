package cpu

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/internal/naive"
	"github.com/dl4go/dl4go/internal/programtest"
)

// Every operation alone, with its gradients, over odd and large sizes.
func TestOperations(t *testing.T) {
	seen := map[string]bool{}
	programtest.Operations(func(name string, lo, hi float64, f programtest.Formula, shapes ...[]int) {
		t.Helper()
		p := function(t, shapes, f)
		for _, n := range p.Nodes {
			seen[n.Op.Name()] = true
		}
		check(t, fmt.Sprint(name, shapes), p, programtest.Bind(p, lo, hi))
	})
	for _, op := range naive.Ops() {
		if !seen[op] {
			t.Errorf("%s was not tested", op)
		}
	}
}
