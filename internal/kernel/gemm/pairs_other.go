//go:build !amd64 || noasm

package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// RunPairs computes the tile of pairs: elements of A and B hold two terms as bfloat16, the first one in the lower half.
// acc gets the product of the second ones and then that of the first ones. Denormals in A, B and acc are 0.
func (t *Tile) RunPairs(kernel.Variant) { t.runPairsPortable() }

// PairRows makes pairs of the elements of two rows.
func PairRows(_ kernel.Variant, dst, low, high []float32) { pairRowsPortable(dst, low, high) }

// PairNeighbours makes pairs of neighbours. If their number is odd, 0 follows.
func PairNeighbours(_ kernel.Variant, dst, src []float32) { pairNeighboursPortable(dst, src) }
