package stored

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// bucket holds the rows of one bucket of a shuffled file, in order. A reader that goes through the file reads each
// bucket once, so no pass over the file is needed to put all buckets in order.
type bucket struct {
	mu     sync.Mutex
	rows   []byte
	came   []byte // a block of the file
	number int    // of the bucket, from 1; 0: none
}

// BucketBytes returns the approximate size of a bucket, given the bytes of all rows. With more than 32 GB of rows,
// buckets are larger.
func BucketBytes(all int64) int64 { return min(bucketBytes, all/fewBuckets) }

// bucketRows returns how many of n rows a bucket of about this many bytes has.
func bucketRows(n, stride, bytes int) int { return max(1, bytes/stride, (n+mostBuckets-1)/mostBuckets) }

// bucketAt returns the start of a bucket in the file. Buckets begin with a page.
func (l *layout) bucketAt(number int) int64 {
	size := int64(l.Bucket) * (l.Stride + placeBytes)
	return int64(number) * ((size + pageBytes - 1) / pageBytes * pageBytes)
}

// row returns a row of the file r, valid until the next call. The caller holds mu.
func (b *bucket) row(r *Rows, i int) ([]byte, error) {
	l := &r.layout
	stride := int(l.Stride)
	if i < 0 || i >= l.Rows {
		return nil, io.ErrUnexpectedEOF
	}
	if number := i / l.Bucket; number+1 != b.number {
		if err := b.load(r, number); err != nil {
			return nil, err
		}
	}
	at := i % l.Bucket * stride
	return b.rows[at : at+stride : at+stride], nil
}

// load reads a bucket.
func (b *bucket) load(r *Rows, number int) error {
	l := &r.layout
	n, stride := min(l.Bucket, l.Rows-number*l.Bucket), int(l.Stride)
	record := stride + placeBytes
	if b.rows == nil {
		b.rows = make([]byte, min(l.Bucket, l.Rows)*stride)
		b.came = make([]byte, min(max(1, aheadBytes/record), n)*record)
	}
	b.number = 0
	at, left := l.bucketAt(number), n*record
	for left > 0 {
		came := b.came[:min(left, len(b.came))]
		if err := r.read(came, at); err != nil {
			return err
		}
		at, left = at+int64(len(came)), left-len(came)
		for ; len(came) > 0; came = came[record:] {
			place := int(binary.LittleEndian.Uint32(came))
			if place >= n {
				return fmt.Errorf("a row is at place %d of %d: the file was changed", place, n)
			}
			copy(b.rows[place*stride:(place+1)*stride], came[placeBytes:record])
		}
	}
	b.number = number + 1
	return nil
}

// fill copies rows from the first one on into b.
func (r *Rows) fill(b []byte, first int) error {
	stride := int(r.layout.Stride)
	if r.layout.Bucket == 0 {
		return r.read(b, int64(first)*int64(stride))
	}
	r.bucket.mu.Lock()
	defer r.bucket.mu.Unlock()
	for i := first; len(b) > 0; i++ {
		row, err := r.bucket.row(r, i)
		if err != nil {
			return err
		}
		b = b[copy(b, row):]
	}
	return nil
}
