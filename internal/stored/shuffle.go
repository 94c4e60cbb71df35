package stored

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
)

// Sizes of a shuffle.
const (
	bucketBytes  = 8 << 20  // a bucket, which is put in order in memory
	scatterBytes = 16 << 20 // the buffers of all buckets
	mostBuckets  = 4096
	longestRow   = 16 << 10 // longer rows are read at random
)

// Shuffles reports whether the rows should be read in the order of their file, and [Rows.Shuffle] can change it: they
// are short, of one length, and on disk, where reading a short row takes as long as reading a page.
func (r *Rows) Shuffles() bool {
	return !r.memory && r.layout.Stride > 0 && r.layout.Stride <= longestRow
}

// Shuffle copies rows in the order of their numbers to another file, in the directory of theirs or that of
// temporary files. It reads the rows once, and writes
// the other file twice and reads it once, always from its beginning to its end. It takes some tens of MB, and 2 bytes
// for each row from the least to the greatest number. The caller must close the result.
func (r *Rows) Shuffle(ctx context.Context, numbers []int64) (*Rows, error) {
	return r.shuffle(ctx, numbers, bucketBytes)
}

func (r *Rows) shuffle(ctx context.Context, numbers []int64, bucket int) (*Rows, error) {
	r.using.RLock()
	defer r.using.RUnlock()
	if r.file == nil {
		return nil, ErrClosed
	}
	size, dir := int64(len(numbers))*r.layout.Stride, cmp.Or(r.dir, os.TempDir())
	to := &Rows{dir: dir, own: true, bytes: size, layout: layout{Rows: len(numbers), Stride: r.layout.Stride}}
	s := &shuffle{from: r, to: to, numbers: numbers, stride: int(r.layout.Stride)}
	s.each = max(1, bucket/s.stride, (len(numbers)+mostBuckets-1)/mostBuckets)
	var err error
	if to.file, err = diskFile(dir); err != nil {
		return nil, full(dir, size, err)
	}
	to.path = pathOf(to.file)
	if err = s.scatter(ctx); err == nil {
		err = s.sort(ctx)
	}
	if err != nil {
		to.Close()
		return nil, err
	}
	return to, nil
}

// shuffle copies rows in two passes. A bucket is a piece of the new file. The first pass gives each bucket its rows, in
// their old order. The second pass puts the rows of each bucket in order.
type shuffle struct {
	from, to *Rows
	numbers  []int64
	stride   int
	each     int // rows of a bucket
}

func (s *shuffle) buckets() int { return (len(s.numbers) + s.each - 1) / s.each }

// none marks a row that is not copied.
const none = math.MaxUint16

// targets returns the buckets of the old file's rows from number first on.
func (s *shuffle) targets() (to []uint16, first int) {
	if len(s.numbers) == 0 {
		return nil, 0
	}
	first = int(slices.Min(s.numbers))
	to = make([]uint16, int(slices.Max(s.numbers))+1-first)
	for i := range to {
		to[i] = none
	}
	for place, i := range s.numbers {
		to[int(i)-first] = uint16(place / s.each)
	}
	return to, first
}

// scatter is the first pass.
func (s *shuffle) scatter(ctx context.Context) error {
	targets, first := s.targets()
	w := &scattering{shuffle: s, waiting: make([][]byte, s.buckets()), written: make([]int64, s.buckets())}
	w.room = max(1, min(writeBytes, scatterBytes/max(1, s.buckets()))/s.stride) * s.stride
	block := make([]byte, max(1, writeBytes/s.stride)*s.stride)
	for i := 0; i < len(targets) && ctx.Err() == nil; {
		n := min(len(block)/s.stride, len(targets)-i)
		if err := s.from.read(block[:n*s.stride], int64(first+i)*int64(s.stride)); err != nil {
			return fmt.Errorf("the stored examples from %d on: %w", first+i, err)
		}
		for k, bucket := range targets[i : i+n] {
			if bucket == none {
				continue
			}
			if err := w.add(int(bucket), block[k*s.stride:(k+1)*s.stride]); err != nil {
				return err
			}
		}
		i += n
	}
	for bucket := range w.waiting {
		if err := w.flush(bucket); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// scattering collects rows for the buckets.
type scattering struct {
	*shuffle
	waiting [][]byte
	written []int64
	room    int // of a buffer
}

func (w *scattering) add(bucket int, row []byte) error {
	b := &w.waiting[bucket]
	if *b == nil {
		*b = make([]byte, 0, w.room)
	}
	if *b = append(*b, row...); len(*b) < w.room {
		return nil
	}
	return w.flush(bucket)
}

func (w *scattering) flush(bucket int) error {
	b := w.waiting[bucket]
	at := int64(bucket)*int64(w.each)*int64(w.stride) + w.written[bucket]
	w.written[bucket] += int64(len(b))
	w.waiting[bucket] = b[:0]
	_, err := w.to.file.WriteAt(b, at)
	return full(w.to.dir, w.to.bytes, err)
}

// sort is the second pass.
func (s *shuffle) sort(ctx context.Context) error {
	most := min(s.each, len(s.numbers))
	came, sorted := make([]byte, most*s.stride), make([]byte, most*s.stride)
	keys := make([]uint64, most) // the number of a row, and its place in the bucket
	for from := 0; from < len(s.numbers) && ctx.Err() == nil; from += s.each {
		numbers := s.numbers[from:min(len(s.numbers), from+s.each)]
		for place, i := range numbers {
			keys[place] = uint64(i)<<32 | uint64(place)
		}
		slices.Sort(keys[:len(numbers)])
		b, at := came[:len(numbers)*s.stride], int64(from)*int64(s.stride)
		if err := s.to.read(b, at); err != nil {
			return fmt.Errorf("the shuffled examples from %d on: %w", from, err)
		}
		for k, key := range keys[:len(numbers)] {
			place := int(uint32(key))
			copy(sorted[place*s.stride:], b[k*s.stride:(k+1)*s.stride])
		}
		if _, err := s.to.file.WriteAt(sorted[:len(b)], at); err != nil {
			return full(s.to.dir, s.to.bytes, err)
		}
	}
	return context.Cause(ctx)
}
