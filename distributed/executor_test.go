package distributed

import (
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// TestHostKernels: work that is not on the network has the kernels of its processor, whatever precision products have.
func TestHostKernels(t *testing.T) {
	for kernels, want := range map[string]string{"avx2": "avx2", "avx512?precision=bf16": "avx512",
		"amx?precision=bf16": "avx512", "gpu?host=avx2": "avx2", "gpu": kernel.Best().String()} {
		if got := HostKernels(kernels); got != want {
			t.Errorf("%s: %s", kernels, got)
		}
	}
}
