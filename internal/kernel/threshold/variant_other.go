//go:build (!amd64 && !arm64) || noasm

package threshold

import "github.com/dl4go/dl4go/internal/kernel"

var sets = [...]*Set{kernel.Portable: &portable}
