package stored

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
)

// Sizes of a shuffle.
const (
	bucketBytes  = 8 << 20  // a bucket, which its readers put in order in memory
	fewBuckets   = 32       // small rows have smaller buckets
	scatterBytes = 16 << 20 // the buffers of all buckets
	mostBuckets  = 4096
	longestRow   = 16 << 10 // longer rows are read at random
	pageBytes    = 4 << 10  // read for a short row at a random place
)

// Shuffles reports whether n rows should be read in the order of their file, and [Rows.Shuffle] can change it: rows are
// short, of one length, and on disk, and n pages are more than the file.
func (r *Rows) Shuffles(n int) bool {
	l := r.layout
	return !r.memory && l.Stride > 0 && l.Stride <= longestRow && int64(n)*pageBytes >= int64(l.Rows)*l.Stride
}

// Shuffle copies rows in an order to another file, in the directory of theirs or that of temporary files. It reads the
// rows once, and writes them once, to the buckets of that file. It takes some tens of MB of memory for any number of
// rows. The order goes through files, too, of up to 24 bytes for each row. The caller must close the result, and should
// read it in order: each reader puts a bucket in order in memory.
func (r *Rows) Shuffle(ctx context.Context, order Order) (*Rows, error) {
	return r.shuffle(ctx, order, int(BucketBytes(int64(order.Len())*r.layout.Stride)), blockShift(r.layout.Rows))
}

func (r *Rows) shuffle(ctx context.Context, order Order, bucket, shift int) (*Rows, error) {
	r.using.RLock()
	defer r.using.RUnlock()
	if r.file == nil {
		return nil, ErrClosed
	}
	n, stride := order.Len(), int(r.layout.Stride)
	size, dir := int64(n)*int64(stride), cmp.Or(r.dir, os.TempDir())
	each := bucketRows(n, stride, bucket)
	to := &Rows{dir: dir, own: true, bytes: size,
		layout: layout{Rows: n, Stride: r.layout.Stride, Form: r.layout.Form, Bucket: each}}
	s := &shuffle{from: r, to: to, rows: n, stride: stride, shift: shift, each: each}
	var err error
	if to.file, err = diskFile(dir); err != nil {
		return nil, full(dir, size, err)
	}
	to.path = pathOf(to.file)
	if err = s.run(ctx, order); err != nil {
		to.Close()
		return nil, err
	}
	return to, nil
}

// shuffle gives each bucket of a file its rows, in their old order, each after its place in the bucket.
type shuffle struct {
	from, to *Rows
	rows     int
	stride   int
	each     int // rows of a bucket
	shift    int // the binary logarithm of the old rows that are read with their places in memory
	places   *spill
}

// placeBytes is the size of a row's place in its bucket.
const placeBytes = 4

// none marks a row that is not copied.
const none = math.MaxUint32

func (s *shuffle) buckets() int { return (s.rows + s.each - 1) / s.each }

func (s *shuffle) run(ctx context.Context, order Order) error {
	s.places = newSpill(s.to.dir, "the order of the examples", s.from.layout.Rows>>s.shift+1)
	defer s.places.close()
	if err := order.Each(ctx, s.to.dir, s.place); err != nil {
		return err
	}
	return s.scatter(ctx)
}

// place takes down the place of a row.
func (s *shuffle) place(place, number int) error {
	if number < 0 || number >= s.from.layout.Rows || place < 0 || place >= s.rows {
		return fmt.Errorf("an order of %d places, for %d rows: row %d is at place %d", s.rows, s.from.layout.Rows, number,
			place)
	}
	return s.places.add(number>>s.shift, pack(number&(1<<s.shift-1), place))
}

// scatter copies the rows.
func (s *shuffle) scatter(ctx context.Context) error {
	w := newScattering(s)
	places := make([]uint32, min(1<<s.shift, s.from.layout.Rows))
	for b := range s.places.waiting {
		for i := range places {
			places[i] = none
		}
		if err := s.places.take(b, func(records []byte) error {
			for ; len(records) > 0; records = records[recordBytes:] {
				k, place := unpack(records)
				if places[k] != none {
					return fmt.Errorf("row %d is in an order twice", b<<s.shift+k)
				}
				places[k] = uint32(place)
			}
			return nil
		}); err != nil {
			return err
		}
		if err := w.block(ctx, b<<s.shift, places); err != nil {
			return err
		}
	}
	return w.end()
}
