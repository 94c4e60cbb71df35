package gemm

import "github.com/dl4go/dl4go/internal/kernel"

// side is a factor of a product: n rows of the left one, or n columns of the right one. It is packed to tiles: for each
// 16 of n the tiles of K in order. A tile of the left factor is [16 of n, 16 pairs], one of the right factor [16 pairs,
// 16 of n].
type side struct {
	n, k       int
	along      bool // terms are neighbours in a row of memory, otherwise in a column
	transposed bool // a tile is not in the order of memory
}

func (s *side) tiles() int      { return ceil(s.n, tileN) }
func (s *side) kTiles() int     { return ceil(s.k, tileK) }
func (s *side) packedSize() int { return s.tiles() * s.kTiles() * tileSize }

// perPart is the number of tiles of n, or of K if terms are not neighbours, of a part of the packing.
func (s *side) perPart() int {
	const tiles = 32
	if s.along {
		return max(1, tiles/max(1, s.kTiles()))
	}
	return max(1, tiles/s.tiles())
}

func (s *side) parts() int {
	if s.along {
		return ceil(s.tiles(), s.perPart())
	}
	return ceil(s.kTiles(), s.perPart())
}

// packPart packs a part into memory for the whole.
func (s *side) packPart(v kernel.Variant, dst, x []float32, ld, part int, edge []float32) {
	from, to, step := part*s.perPart(), (part+1)*s.perPart(), s.kTiles()*tileSize
	if s.along {
		to = min(to, s.tiles())
		s.pack(v, dst[from*step:], step, x, ld, from, to, 0, s.kTiles(), edge)
	} else {
		s.pack(v, dst[from*tileSize:], step, x, ld, 0, s.tiles(), from, min(to, s.kTiles()), edge)
	}
}

// pack packs tiles [n0, n1) of n and [k0, k1) of K. Tiles of K follow each other in dst, and step is from a tile of n
// to the next one. Terms beyond K are 0. edge has room for the elements of a tile.
func (s *side) pack(v kernel.Variant, dst []float32, step int, x []float32, ld, n0, n1, k0, k1 int, edge []float32) {
	wholeN, wholeK := s.n/tileN, s.k/tileK
	if s.along {
		for n := n0; n < n1; n++ {
			to, k := dst[(n-n0)*step:], k0
			if n < wholeN && k0 < wholeK {
				k = min(k1, wholeK)
				packTiles(v, s, to, tileSize, x[n*tileN*ld+k0*tileK:], tileK, ld, k-k0)
			}
			for ; k < k1; k++ {
				s.packEdge(v, to[(k-k0)*tileSize:], x, ld, n, k, edge)
			}
		}
		return
	}
	for k := k0; k < k1; k++ {
		to, n := dst[(k-k0)*tileSize:], n0
		if k < wholeK && n0 < wholeN {
			n = min(n1, wholeN)
			packTiles(v, s, to, step, x[k*tileK*ld+n0*tileN:], tileN, ld, n-n0)
		}
		for ; n < n1; n++ {
			s.packEdge(v, to[(n-n0)*step:], x, ld, n, k, edge)
		}
	}
}

// packEdge packs a tile that is not whole.
func (s *side) packEdge(v kernel.Variant, dst, x []float32, ld, n, k int, edge []float32) {
	clear(edge)
	row, rows, col, cols, width := n*tileN, s.n, k*tileK, s.k, tileK
	height := tileN
	if !s.along {
		row, rows, col, cols, width, height = col, cols, row, rows, tileN, tileK
	}
	cols = min(width, cols-col)
	for r := range min(height, rows-row) {
		copy(edge[r*width:], x[(row+r)*ld+col:][:cols])
	}
	packTiles(v, s, dst, 0, edge, 0, width, 1)
}
