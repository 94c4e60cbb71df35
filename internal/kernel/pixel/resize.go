package pixel

// The weights of a resize have 22 fractional bits: 255 times a weight fits into 31 bits.
const (
	Precision = 22
	rounding  = 1 << (Precision - 1)
)

// Taps lists the pixels that make up each pixel of a shorter or longer row: Count pixels from First[x] on, with the
// weights from Weights[x·Count] on.
type Taps struct {
	Count   int
	First   []int32
	Weights []int32
}

// Slice returns the taps of the pixels from first up to last.
func (t *Taps) Slice(first, last int) Taps {
	return Taps{t.Count, t.First[first:last], t.Weights[first*t.Count : last*t.Count]}
}

func squeezePortable(dst, row []uint8, taps *Taps) {
	weights := taps.Weights
	for x, first := range taps.First {
		from := row[3*first:][:3*taps.Count]
		r, g, b := int32(rounding), int32(rounding), int32(rounding)
		for _, w := range weights[:taps.Count] {
			if len(from) < 3 {
				break
			}
			r += w * int32(from[0])
			g += w * int32(from[1])
			b += w * int32(from[2])
			from = from[3:]
		}
		weights = weights[taps.Count:]
		to := dst[3*x : 3*x+3]
		to[0], to[1], to[2] = clamp(r>>Precision), clamp(g>>Precision), clamp(b>>Precision)
	}
}

// SqueezeGrey is Set.Squeeze for pixels of one channel.
func SqueezeGrey(dst, row []uint8, taps *Taps) {
	for x, first := range taps.First {
		from := row[first:][:taps.Count]
		sum := int32(rounding)
		for k, w := range taps.Weights[x*taps.Count:][:taps.Count] {
			sum += w * int32(from[k])
		}
		dst[x] = clamp(sum >> Precision)
	}
}

func mixPortable(dst, src []uint8, stride int, weights []int32) {
	mix(dst, src, stride, weights, 0)
}

// mix is Mix from a place on.
func mix(dst, src []uint8, stride int, weights []int32, at int) {
	for i := at; i < len(dst); i++ {
		sum := int32(rounding)
		for k, w := range weights {
			sum += w * int32(src[k*stride+i])
		}
		dst[i] = clamp(sum >> Precision)
	}
}
