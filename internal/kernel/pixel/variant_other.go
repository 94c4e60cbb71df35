//go:build (!amd64 && !arm64) || noasm

package pixel

import "github.com/dl4go/dl4go/internal/kernel"

var sets = [...]*Set{kernel.Portable: &portable}
