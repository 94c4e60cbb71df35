package parquet

import "math"

// The loops over the bytes of plain numbers process eight numbers at a time: the compiler then checks bounds once for
// all of them, which is several times as fast.

// integers reads integers of 32 bits. b must hold len(out) of them.
func integers(out []int32, b []byte) {
	for len(out) >= 8 && len(b) >= 32 {
		o, in := (*[8]int32)(out), (*[32]byte)(b)
		o[0], o[1] = int32(le.Uint32(in[0:])), int32(le.Uint32(in[4:]))
		o[2], o[3] = int32(le.Uint32(in[8:])), int32(le.Uint32(in[12:]))
		o[4], o[5] = int32(le.Uint32(in[16:])), int32(le.Uint32(in[20:]))
		o[6], o[7] = int32(le.Uint32(in[24:])), int32(le.Uint32(in[28:]))
		out, b = out[8:], b[32:]
	}
	for i := range out {
		out[i] = int32(le.Uint32(b[4*i:]))
	}
}

// longs reads integers of 64 bits. b must hold len(out) of them.
func longs(out []int64, b []byte) {
	for len(out) >= 8 && len(b) >= 64 {
		o, in := (*[8]int64)(out), (*[64]byte)(b)
		o[0], o[1] = int64(le.Uint64(in[0:])), int64(le.Uint64(in[8:]))
		o[2], o[3] = int64(le.Uint64(in[16:])), int64(le.Uint64(in[24:]))
		o[4], o[5] = int64(le.Uint64(in[32:])), int64(le.Uint64(in[40:]))
		o[6], o[7] = int64(le.Uint64(in[48:])), int64(le.Uint64(in[56:]))
		out, b = out[8:], b[64:]
	}
	for i := range out {
		out[i] = int64(le.Uint64(b[8*i:]))
	}
}

// floats reads numbers of 32 bits. b must hold len(out) of them.
func floats(out []float32, b []byte) {
	for len(out) >= 8 && len(b) >= 32 {
		o, in := (*[8]float32)(out), (*[32]byte)(b)
		o[0], o[1] = math.Float32frombits(le.Uint32(in[0:])), math.Float32frombits(le.Uint32(in[4:]))
		o[2], o[3] = math.Float32frombits(le.Uint32(in[8:])), math.Float32frombits(le.Uint32(in[12:]))
		o[4], o[5] = math.Float32frombits(le.Uint32(in[16:])), math.Float32frombits(le.Uint32(in[20:]))
		o[6], o[7] = math.Float32frombits(le.Uint32(in[24:])), math.Float32frombits(le.Uint32(in[28:]))
		out, b = out[8:], b[32:]
	}
	for i := range out {
		out[i] = math.Float32frombits(le.Uint32(b[4*i:]))
	}
}

// doubles reads numbers of 64 bits. b must hold len(out) of them.
func doubles(out []float64, b []byte) {
	for len(out) >= 8 && len(b) >= 64 {
		o, in := (*[8]float64)(out), (*[64]byte)(b)
		o[0], o[1] = math.Float64frombits(le.Uint64(in[0:])), math.Float64frombits(le.Uint64(in[8:]))
		o[2], o[3] = math.Float64frombits(le.Uint64(in[16:])), math.Float64frombits(le.Uint64(in[24:]))
		o[4], o[5] = math.Float64frombits(le.Uint64(in[32:])), math.Float64frombits(le.Uint64(in[40:]))
		o[6], o[7] = math.Float64frombits(le.Uint64(in[48:])), math.Float64frombits(le.Uint64(in[56:]))
		out, b = out[8:], b[64:]
	}
	for i := range out {
		out[i] = math.Float64frombits(le.Uint64(b[8*i:]))
	}
}
