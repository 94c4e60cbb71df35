//go:build (!amd64 && !arm64) || noasm

package pool

import "github.com/dl4go/dl4go/internal/kernel"

func choose(kernel.Variant, Geometry) operations { return portable }
