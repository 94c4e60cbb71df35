package stored

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/dl4go/dl4go/internal/random"
)

// Order is an order of rows.
type Order interface {
	// Len returns the number of places.
	Len() int
	// Each yields the place and the number of each row, in any sequence. Meanwhile it may have files in a directory.
	Each(ctx context.Context, dir string, yield func(place, number int) error) error
}

// Numbers is an order that lists the rows' numbers.
type Numbers []int64

// Len returns the number of places.
func (o Numbers) Len() int { return len(o) }

// Each yields the rows.
func (o Numbers) Each(ctx context.Context, _ string, yield func(place, number int) error) error {
	for place, number := range o {
		if err := yield(place, int(number)); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// Permutation is an order made of pieces of the random.Permutation of rows. It takes no memory for a row. Where it is
// larger than some MB, Each computes it in files.
type Permutation struct {
	Seed   *uint64 // nil: 0, 1, 2, …
	Rows   int     // of the whole permutation, at most MaxRows
	Pieces []Piece // none overlaps another

	shift int // the binary logarithm of a block's rows, for tests; 0: as usual
}

// Piece is a range of a permutation.
type Piece struct{ From, To int }

// Len returns the number of places.
func (o Permutation) Len() (n int) {
	for _, p := range o.Pieces {
		n += p.To - p.From
	}
	return n
}

// Each yields the rows.
func (o Permutation) Each(ctx context.Context, dir string, yield func(place, number int) error) error {
	if o.Rows > MaxRows {
		return fmt.Errorf("an order of %d rows: there can be %d", o.Rows, MaxRows)
	}
	placed := o.placed()
	at := func(k, number int) error { // k ascends
		for len(placed) > 0 && k >= placed[0].To {
			placed = placed[1:]
		}
		if len(placed) == 0 || k < placed[0].From {
			return nil
		}
		return yield(placed[0].place+k-placed[0].From, number)
	}
	if o.Seed != nil {
		return o.permute(ctx, dir, at)
	}
	for k := range o.Rows {
		if err := at(k, k); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// Listing returns a function that yields the rows at the places from … to-1. It takes four bytes for each row.
func (o Permutation) Listing() func(from, to int) iter.Seq[int64] {
	var known []uint32
	if o.Seed != nil {
		known = make([]uint32, o.Rows)
		random.Permute(*o.Seed, known)
	}
	return func(from, to int) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			place := 0
			for _, p := range o.Pieces {
				for k := p.From + max(0, from-place); k < min(p.To, p.From+to-place); k++ {
					number := int64(k)
					if known != nil {
						number = int64(known[k])
					}
					if !yield(number) {
						return
					}
				}
				place += p.To - p.From
			}
		}
	}
}

// placedPiece is a piece, and the place of its first row.
type placedPiece struct {
	Piece
	place int
}

// placed returns the pieces in the order of the permutation.
func (o Permutation) placed() []placedPiece {
	all := make([]placedPiece, 0, len(o.Pieces))
	place := 0
	for _, p := range o.Pieces {
		if p.From < p.To {
			all = append(all, placedPiece{p, place})
		}
		place += p.To - p.From
	}
	slices.SortFunc(all, func(a, b placedPiece) int { return cmp.Compare(a.From, b.From) })
	return all
}

// permute calls each with the elements of random.Permutation from the first to the last. Permutation draws a position
// j ≤ i for each i in turn, moves the element at j to i, and puts i at j. Here the positions are cut into blocks. The
// first pass draws, and gives each draw to the block of its j. The second pass makes one block after the other. Its
// elements move to the same block or to later ones, so each block is complete when its draws are done.
func (o Permutation) permute(ctx context.Context, dir string, each func(k, number int) error) error {
	shift := o.shift
	if shift == 0 {
		shift = blockShift(o.Rows)
	}
	size := 1 << shift
	blocks := (o.Rows + size - 1) >> shift
	draws, moves := newSpill(dir, "the order of the examples", blocks), newSpill(dir, "the order of the examples", blocks)
	defer draws.close()
	defer moves.close()
	source := random.NewSource(*o.Seed)
	for i := range o.Rows {
		j := source.Intn(i + 1)
		if err := draws.add(j>>shift, pack(j&(size-1), i)); err != nil {
			return err
		}
		if i&(size-1) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	block := make([]uint32, min(size, o.Rows))
	for b := range blocks {
		if err := o.block(b, shift, block, draws, moves); err != nil {
			return err
		}
		from := b << shift
		for k, number := range block[:min(size, o.Rows-from)] {
			if err := each(from+k, int(number)); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return context.Cause(ctx)
}

// block makes the elements of a block.
func (o Permutation) block(b, shift int, elements []uint32, draws, moves *spill) error {
	from, mask := b<<shift, 1<<shift-1
	if err := moves.take(b, func(records []byte) error {
		for ; len(records) > 0; records = records[recordBytes:] {
			k, number := unpack(records)
			elements[k] = uint32(number)
		}
		return nil
	}); err != nil {
		return err
	}
	return draws.take(b, func(records []byte) error {
		for ; len(records) > 0; records = records[recordBytes:] {
			j, i := unpack(records)
			was := elements[j]
			elements[j] = uint32(i)
			if i>>shift == b {
				if i-from != j {
					elements[i-from] = was
				}
			} else if err := moves.add(i>>shift, pack(i&mask, int(was))); err != nil {
				return err
			}
		}
		return nil
	})
}

// blockShift returns the binary logarithm of the rows of a block, of n rows in all.
func blockShift(n int) int { return max(bits.Len(blockRows-1), bits.Len(uint(n/spillBuckets))) }

func pack(high, low int) uint64 { return uint64(high)<<32 | uint64(low) }

func unpack(record []byte) (high, low int) {
	u := binary.LittleEndian.Uint64(record)
	return int(u >> 32), int(uint32(u))
}
