package gemm

import "math"

// tileConfig is the configuration of the processor's tiles for a unit of rows and one of columns, which may be parts of
// units. Tiles 0 to 3 are those of C, row by row, 4 and 5 those of the left factor, and 6 and 7 those of the right one.
type tileConfig [64]byte

func newTileConfig(rows, cols int) (c tileConfig) {
	c[0] = 1
	set := func(tile, rows, words int) { c[16+2*tile], c[48+tile] = byte(4*words), byte(rows) }
	for i := range 2 {
		high, wide := min(tileN, max(0, rows-i*tileN)), min(tileN, max(0, cols-i*tileN))
		if high > 0 {
			set(4+i, high, tileN)
		}
		if wide > 0 {
			set(6+i, tileN, wide)
		}
		for j := range 2 {
			if wide := min(tileN, max(0, cols-j*tileN)); high > 0 && wide > 0 {
				set(2*i+j, high, wide)
			}
		}
	}
	return c
}

// rows and cols return those of a unit.
func (c *tileConfig) rows() int { return int(c[48+4] + c[48+5]) }
func (c *tileConfig) cols() int { return int(c[16+12]+c[16+14]) / 4 }

// amxTiles is one call of the kernel: the products of units of rows with units of columns, for k tiles of K. Steps are
// from a tile of rows or columns to the next one.
type amxTiles struct {
	config       *tileConfig
	a, b, c      []float32
	aStep, bStep int
	cRow, k      int
	rows, cols   int  // units
	first        bool // C is 0 before
}

// runPortable is the reference of TDPBF16PS.
func (t *amxTiles) runPortable() {
	for row := range t.rows {
		for r := row * unit; r < row*unit+t.config.rows(); r++ {
			for col := range (t.cols-1)*unit + t.config.cols() {
				c := &t.c[r*t.cRow+col]
				acc := float32(0)
				if !t.first {
					acc = *c
				}
				for k := range t.k {
					a := t.a[r/tileN*t.aStep+k*tileSize+r%tileN*tileN:]
					b := t.b[col/tileN*t.bStep+k*tileSize+col%tileN:]
					even, odd := float32(0), float32(0)
					for pair := range tileN {
						x, y := math.Float32bits(a[pair]), math.Float32bits(b[pair*tileN])
						even = addBF16(even, x<<16, y<<16)
						odd = addBF16(odd, x&0xffff0000, y&0xffff0000)
					}
					acc = addDaz(acc, addDaz(even, odd))
				}
				*c = acc
			}
		}
	}
}

// addDaz returns x + y. Denormal operands and results are 0.
func addDaz(x, y float32) float32 { return addBF16(x, math.Float32bits(y), math.Float32bits(1)) }

// packTilesPortable packs n tiles of a side, one pair after the other.
func packTilesPortable(s *side, dst []float32, dstStep int, src []float32, srcStep, ld, n int) {
	element := func(tile, at, term int) float32 {
		i := at*ld + term
		if !s.along {
			i = term*ld + at
		}
		return withoutDenormal(math.Float32bits(src[tile*srcStep+i]))
	}
	for tile := range n {
		for at := range tileN {
			for p := range tileN {
				x := pair(element(tile, at, 2*p), element(tile, at, 2*p+1))
				if s.along != s.transposed {
					dst[tile*dstStep+at*tileN+p] = x
				} else {
					dst[tile*dstStep+p*tileN+at] = x
				}
			}
		}
	}
}
