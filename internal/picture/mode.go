package picture

// Mode is a colour mode: the channels of a row of numbers, and their order.
type Mode string

// The modes.
const (
	RGB  Mode = "rgb"
	BGR  Mode = "bgr"  // as in OpenCV and Deeplearning4j's NativeImageLoader
	Grey Mode = "grey" // the luma of ITU-R 601
)

// Modes lists all modes.
var Modes = []string{string(RGB), string(BGR), string(Grey)}

// Channels returns the number of channels of a pixel.
func (m Mode) Channels() int {
	if m == Grey {
		return 1
	}
	return 3
}

// Planes writes the image in that mode as [channels, height, width] into out, which must have that length.
func (m *Image) Planes(mode Mode, out []uint8) {
	n := m.Width * m.Height
	switch {
	case mode == Grey && m.Channels == 1:
		copy(out, m.Pix)
	case mode == Grey:
		for i := range n {
			r, g, b := int(m.Pix[3*i]), int(m.Pix[3*i+1]), int(m.Pix[3*i+2])
			out[i] = uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16)
		}
	case m.Channels == 1:
		for c := range 3 {
			copy(out[c*n:], m.Pix)
		}
	default:
		first, last := 0, 2
		if mode == BGR {
			first, last = 2, 0
		}
		for i := range n {
			out[i], out[n+i], out[2*n+i] = m.Pix[3*i+first], m.Pix[3*i+1], m.Pix[3*i+last]
		}
	}
}
