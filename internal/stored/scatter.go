package stored

import (
	"context"
	"encoding/binary"
	"fmt"
)

// scattering collects rows for the buckets of a shuffle.
type scattering struct {
	*shuffle
	came    []byte // rows that are read at once
	waiting [][]byte
	written []int // bytes, by bucket
	room    int   // of a bucket's buffer, whole pages
}

func newScattering(s *shuffle) *scattering {
	w := &scattering{shuffle: s, waiting: make([][]byte, s.buckets()), written: make([]int, s.buckets())}
	most := min(writeBytes, scatterBytes/max(1, s.buckets()), s.each*(s.stride+placeBytes))
	w.room = max(1, most/pageBytes) * pageBytes
	w.came = make([]byte, max(1, writeBytes/s.stride)*s.stride)
	return w
}

// block gives the old rows from first on, which have these places, to their buckets.
func (w *scattering) block(ctx context.Context, first int, places []uint32) error {
	most := len(w.came) / w.stride
	for from := 0; from < len(places); from += most {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := w.piece(first+from, places[from:min(len(places), from+most)]); err != nil {
			return err
		}
	}
	return nil
}

// piece does block for rows that are read at once.
func (w *scattering) piece(first int, places []uint32) error {
	for len(places) > 0 && places[0] == none {
		first, places = first+1, places[1:]
	}
	for len(places) > 0 && places[len(places)-1] == none {
		places = places[:len(places)-1]
	}
	if err := w.from.fill(w.came[:len(places)*w.stride], first); err != nil {
		return fmt.Errorf("the stored examples from %d on: %w", first, err)
	}
	for k, place := range places {
		if place == none {
			continue
		}
		if err := w.add(int(place), w.came[k*w.stride:(k+1)*w.stride]); err != nil {
			return err
		}
	}
	return nil
}

func (w *scattering) add(place int, row []byte) error {
	bucket := place / w.each
	b := w.waiting[bucket]
	if b == nil {
		b = make([]byte, 0, w.room+w.stride+placeBytes)
	}
	b = append(binary.LittleEndian.AppendUint32(b, uint32(place-bucket*w.each)), row...)
	if w.waiting[bucket] = b; len(b) < w.room {
		return nil
	}
	return w.flush(bucket, len(b)/pageBytes*pageBytes)
}

// flush writes n bytes of a bucket. All but the last ones are whole pages, because a page that is written twice costs
// twice.
func (w *scattering) flush(bucket, n int) error {
	b := w.waiting[bucket]
	at := w.to.layout.bucketAt(bucket) + int64(w.written[bucket])
	w.written[bucket] += n
	_, err := w.to.file.WriteAt(b[:n], at)
	w.waiting[bucket] = b[:copy(b, b[n:])]
	return full(w.to.dir, w.to.bytes, err)
}

// end completes the buckets.
func (w *scattering) end() error {
	for bucket := range w.waiting {
		if err := w.flush(bucket, len(w.waiting[bucket])); err != nil {
			return err
		}
		w.waiting[bucket] = nil
		n := min(w.each, w.rows-bucket*w.each)
		if got := w.written[bucket] / (w.stride + placeBytes); got != n {
			return fmt.Errorf("an order of %d places has %d rows for the %d places from %d on", w.rows, got, n,
				bucket*w.each)
		}
	}
	return nil
}
