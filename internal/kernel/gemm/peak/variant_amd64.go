//go:build amd64 && !noasm

package peak

import "github.com/dl4go/dl4go/internal/kernel"

func run(v kernel.Variant, rounds int) (flops int) {
	switch v {
	case kernel.AVX512:
		fmaAVX512(rounds)
		return rounds * 24 * 16 * 2
	case kernel.AVX2:
		fmaAVX2(rounds)
		return rounds * 12 * 8 * 2
	}
	return portable(rounds)
}
