// Command vector writes the assembly of package internal/kernel/vector or internal/kernel/pool for one instruction set.
package main

import (
	"flag"
	"os"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
)

func main() {
	flags := flag.NewFlagSet("vector", flag.ExitOnError)
	variant := flags.String("variant", "", "avx2 or avx512")
	kernels := flags.String("kernels", "vector", "vector or pool")
	files := build.NewFlags(flags)
	flags.Parse(os.Args[1:])

	var b *builder
	switch *variant {
	case "avx2":
		b = newBuilder("AVX2", 8)
	case "avx512":
		b = newBuilder("AVX512", 16)
	default:
		flags.Usage()
		os.Exit(2)
	}
	b.ConstraintExpr("amd64,!noasm")
	switch *kernels {
	case "vector":
		for _, k := range elementwise {
			b.elementwise(k)
		}
		for _, r := range reductions {
			b.reduction(r)
		}
		b.addRows()
		b.uniform()
		b.softmax()
		b.softmaxGrad()
		b.momentum()
		b.adam()
		b.taps()
		b.unzip()
		b.zip()
	case "pool":
		for _, k := range pooling {
			b.pool(k)
		}
	default:
		flags.Usage()
		os.Exit(2)
	}
	config := files.Config()
	config.Passes = slices.Insert(config.Passes, 1, pass.Interface(pass.FunctionPass(dropSelfMoves))) // after compiling
	os.Exit(build.Main(config, b.Context))
}

// dropSelfMoves removes moves of a vector register to itself. A copy becomes one if its source is not used again. avo
// keeps it, and the processor would execute it.
func dropSelfMoves(fn *ir.Function) error {
	fn.Nodes = slices.DeleteFunc(fn.Nodes, func(n ir.Node) bool {
		i, ok := n.(*ir.Instruction)
		return ok && (i.Opcode == "VMOVUPS" || i.Opcode == "VMOVAPS") && len(i.Operands) == 2 &&
			i.Operands[0] == i.Operands[1]
	})
	return nil
}
