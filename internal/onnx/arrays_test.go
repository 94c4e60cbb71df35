package onnx

import (
	"encoding/binary"
	"math"
)

func floatAt(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}
