//go:build !amd64 || noasm

package peak

import "github.com/dl4go/dl4go/internal/kernel"

func run(_ kernel.Variant, rounds int) (flops int) { return portable(rounds) }
