package conv

import "github.com/dl4go/dl4go/internal/kernel"

// shifts stages a copy of the input for each column of a filter. A copy only has the columns under output pixels, so
// rows of pixels follow each other without a gap, and all rows of the filter read the same copy: the input is copied KW
// times, where patches copy it KH·KW times.
type shifts struct {
	stages []stage // of the columns of a filter
	plane  int     // length of a channel of a copy
	copied int     // length of a copy
}

// shifts reports whether the input of so many output rows is staged by shifts: rows of the filter are whole rows of
// pixels apart, and patches would be larger.
func (g Geometry) shifts(rows int) bool {
	return g.StrideH == 1 && g.StrideW == 1 && rows+(g.KH-1)*g.DilH < g.KH*rows
}

// newShifts returns the copies of some channels for this number of output rows at a time.
func newShifts(g Geometry, channels, rows int) shifts {
	s := stage{Geometry: g, copied: true, height: rows + (g.KH-1)*g.DilH, width: g.OutW}
	s.channelSize = s.height * s.width
	f := shifts{plane: s.channelSize, copied: channels * s.channelSize}
	for range g.KW {
		f.stages = append(f.stages, s)
		s.PadLeft -= g.DilW
	}
	return f
}

// size returns the length of all copies.
func (f *shifts) size() int { return align(len(f.stages) * f.copied) }

// offset returns the place of a cell of the filters in the copies.
func (f *shifts) offset(channel, u, v int) int {
	s := &f.stages[0]
	return v*f.copied + channel*f.plane + u*s.DilH*s.width
}

// fill stages rows [row0, row1) of some channels in memory whose columns of padding are 0. The first row of a copy is
// row row0.
func (f *shifts) fill(v kernel.Variant, dst, x []float32, channels, row0, row1 int) {
	for i := range f.stages {
		f.stages[i].refill(v, dst[i*f.copied:], x, channels, row0, row1)
	}
}
