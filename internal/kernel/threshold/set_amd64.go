//go:build amd64 && !noasm

package threshold

import "github.com/dl4go/dl4go/internal/kernel"

var sets = [...]*Set{kernel.Portable: &portable, kernel.AVX2: &portable, kernel.AVX512: &portable}
