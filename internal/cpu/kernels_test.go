package cpu

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

func TestKernelsHaveNames(t *testing.T) {
	all := AvailableKernels()
	for _, k := range all {
		if got, err := ParseKernels(k.String()); got != k || err != nil {
			t.Errorf("%v by its name: %v, %v", k, got, err)
		}
		e := New(Options{Threads: 1, Kernels: k})
		if e.Kernels() != k {
			t.Errorf("an executor with %v has %v", k, e.Kernels())
		}
		e.Close()
	}
	if best := all[len(all)-1].String(); (Kernels{}).String() != best || best != kernel.Best().String() {
		t.Errorf("the zero value is %v, the best %s", Kernels{}, best)
	}
	for _, name := range []string{"", "avx1024"} {
		if _, err := ParseKernels(name); err == nil || !strings.Contains(err.Error(), "portable") {
			t.Errorf("%q is refused with %v", name, err)
		}
	}
}
