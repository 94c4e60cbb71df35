package conv

import (
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/kernel/vector"
)

// stage arranges an example's channels so that the input pixels under a row of output pixels are contiguous for every
// position in the filter, without clipping. The padding's zeros are in place, and the columns are sorted by their
// remainder modulo the horizontal stride. If the input already has this form, nothing is copied.
type stage struct {
	Geometry
	copied      bool
	height      int // rows of a staged channel
	width       int // columns of a staged row, for all remainders
	phase       int // columns of one remainder
	offsets     []int32
	rowOffset   int // from one output row to the next
	channelSize int
	halves      halves
}

// newStage returns the stage of a geometry. always says that the input is copied in any case.
func newStage(g Geometry, vec *vector.Set, always bool) stage {
	s := stage{Geometry: g}
	height := (g.OutH-1)*g.StrideH + (g.KH-1)*g.DilH + 1
	width := (g.OutW-1)*g.StrideW + (g.KW-1)*g.DilW + 1
	s.copied = always || g.PadTop != 0 || g.PadLeft != 0 || g.StrideW > 1 || height > g.InH || width > g.InW
	if s.copied {
		s.height = height
		s.phase = ceil(width, g.StrideW)
		s.width = s.phase * g.StrideW
	} else {
		s.height, s.width, s.phase = g.InH, g.InW, g.InW
	}
	s.halves = newHalves(&s, vec)
	s.place()
	return s
}

// band returns the stage for this number of output rows at a time.
func (s *stage) band(rows int) stage {
	b := *s
	b.OutH = rows
	b.height, b.offsets = (rows-1)*s.StrideH+(s.KH-1)*s.DilH+1, nil
	b.place()
	return b
}

// place computes the places of the staged input.
func (s *stage) place() {
	g := s.Geometry
	s.channelSize = s.height * s.width
	s.rowOffset = g.StrideH * s.width
	for c := range g.InC {
		for u := range g.KH {
			for v := range g.KW {
				col := v * g.DilW
				s.offsets = append(s.offsets,
					int32((c*s.height+u*g.DilH)*s.width+col%g.StrideW*s.phase+col/g.StrideW))
			}
		}
	}
}

// size returns the length of the scratch memory for the given channels.
func (s *stage) size(channels int) int {
	if !s.copied {
		return 0
	}
	return align(channels * s.channelSize)
}

// fill stages channels of one example, rows [row0, row1) of each, and returns the slice that holds them.
func (s *stage) fill(dst, x []float32, channels, row0, row1 int) []float32 {
	if !s.copied {
		return x
	}
	for c := range channels {
		for r := row0; r < row1; r++ {
			s.row(dst[c*s.channelSize+r*s.width:][:s.width], x[c*s.InH*s.InW:], r-s.PadTop)
		}
	}
	return dst
}

// refill is fill into memory whose columns of padding are 0. The first row of a staged channel is row row0.
func (s *stage) refill(v kernel.Variant, dst, x []float32, channels, row0, row1 int) {
	inside0, inside1 := min(max(row0, s.PadTop), row1), max(row0, min(row1, s.PadTop+s.InH))
	from, to := s.inside(s.width, s.PadLeft)
	if s.StrideW == 1 && to > from && row0 == s.PadTop && row1-row0 == s.InH && s.channelSize == s.InH*s.width {
		// Rows follow each other from channel to channel.
		gemm.CopyRows(v, dst[from:], s.width, x[from-s.PadLeft:], s.InW, channels*s.InH, to-from)
		return
	}
	for c := range channels {
		plane, channel := x[c*s.InH*s.InW:][:s.InH*s.InW], dst[c*s.channelSize:][:s.channelSize]
		clear(channel[:(inside0-row0)*s.width])
		clear(channel[(max(inside0, inside1)-row0)*s.width : (row1-row0)*s.width])
		switch {
		case inside0 >= inside1:
		case s.StrideW == 1:
			if to > from {
				gemm.CopyRows(v, channel[(inside0-row0)*s.width+from:], s.width,
					plane[(inside0-s.PadTop)*s.InW+from-s.PadLeft:], s.InW, inside1-inside0, to-from)
			}
		default:
			for r := inside0; r < inside1; r++ {
				s.row(channel[(r-row0)*s.width:][:s.width], plane, r-s.PadTop)
			}
		}
	}
}

func (s *stage) row(dst, plane []float32, row int) {
	if row < 0 || row >= s.InH {
		clear(dst)
		return
	}
	s.columns(dst, plane[row*s.InW:][:s.InW])
}

// columns stages the columns of a row of the input.
func (s *stage) columns(dst, src []float32) {
	if s.StrideW == 1 {
		from, to := s.inside(s.width, s.PadLeft)
		clear(dst[:from])
		if to > from {
			copy(dst[from:to], src[from-s.PadLeft:])
		}
		clear(dst[to:])
		return
	}
	clear(dst)
	n := 0
	if s.halves.pairs > 0 {
		n = 2 * s.halves.pairs
		even, odd := s.halves.of(dst)
		s.halves.vec.Unzip(even, odd, src[:n])
	}
	for col := max(n, -s.PadLeft); col < min(s.InW, s.width-s.PadLeft); col++ {
		dst[s.column(col)] = src[col]
	}
}

// column returns the place of a column of the input in a staged row.
func (s *stage) column(col int) int {
	at := col + s.PadLeft
	return at%s.StrideW*s.phase + at/s.StrideW
}

// inside returns the staged columns [from, to) that are inside the input, for a horizontal stride of 1.
func (s *stage) inside(width, pad int) (from, to int) {
	from = min(max(0, pad), width)
	return from, max(from, min(width, s.InW+pad))
}

// empty copies staged channels back to their places. Pixels under no output pixel become zero.
func (s *stage) empty(x, staged []float32, channels int) {
	for c := range channels {
		for r := range s.InH {
			dst := x[(c*s.InH+r)*s.InW:][:s.InW]
			row := r + s.PadTop
			if row < 0 || row >= s.height {
				clear(dst)
				continue
			}
			src := staged[c*s.channelSize+row*s.width:][:s.width]
			if s.StrideW == 1 {
				from, to := s.inside(s.width, s.PadLeft)
				first := min(max(0, from-s.PadLeft), s.InW)
				clear(dst[:first])
				n := copy(dst[first:], src[from:to])
				clear(dst[first+n:])
				continue
			}
			clear(dst)
			n := 0
			if s.halves.pairs > 0 {
				n = 2 * s.halves.pairs
				even, odd := s.halves.of(src)
				s.halves.vec.Zip(dst[:n], even, odd)
			}
			for col := max(n, -s.PadLeft); col < min(s.InW, s.width-s.PadLeft); col++ {
				dst[col] = src[s.column(col)]
			}
		}
	}
}
