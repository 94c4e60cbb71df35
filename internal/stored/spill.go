package stored

import (
	"encoding/binary"
	"fmt"
	"os"
)

// Sizes of a spill. A chunk is a write.
const (
	recordBytes  = 8
	chunkBytes   = 64 << 10
	spillMemory  = 16 << 20 // for full chunks
	blockRows    = 1 << 20  // the rows of a bucket, unless there are many rows
	spillBuckets = 256      // about the maximum number of buckets then
)

// spill keeps records of 8 bytes in buckets. Full chunks stay in memory while there are few, and go to a file
// otherwise.
type spill struct {
	dir     string
	what    string // the records, for errors
	memory  int    // bytes of full chunks that may still stay in memory
	file    *os.File
	end     int64   // of the file
	free    []int64 // places of chunks that were read
	waiting [][]byte
	chunks  [][]chunk
}

// chunk is records of a bucket.
type chunk struct {
	records []byte // nil: they are in the file
	at      int64
}

func newSpill(dir, what string, buckets int) *spill {
	return &spill{dir: dir, what: what, memory: spillMemory, waiting: make([][]byte, buckets),
		chunks: make([][]chunk, buckets)}
}

// add appends a record to a bucket.
func (s *spill) add(bucket int, record uint64) error {
	b := s.waiting[bucket]
	if b == nil {
		b = make([]byte, 0, chunkBytes)
	}
	b = binary.LittleEndian.AppendUint64(b, record)
	s.waiting[bucket] = b
	if len(b) < chunkBytes {
		return nil
	}
	return s.keep(bucket)
}

// keep puts a bucket's full chunk away.
func (s *spill) keep(bucket int) error {
	b := s.waiting[bucket]
	if s.memory >= chunkBytes {
		s.memory -= chunkBytes
		s.chunks[bucket] = append(s.chunks[bucket], chunk{records: b})
		s.waiting[bucket] = nil
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = diskFile(s.dir); err != nil {
			return noRoom(s.dir, s.what, s.end, err)
		}
	}
	at := s.end
	if n := len(s.free); n > 0 {
		at, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.end += chunkBytes
	}
	s.chunks[bucket] = append(s.chunks[bucket], chunk{at: at})
	s.waiting[bucket] = b[:0]
	_, err := s.file.WriteAt(b, at)
	return noRoom(s.dir, s.what, s.end, err)
}

// take removes a bucket's records, and calls each with them, in their order and a chunk at a time.
func (s *spill) take(bucket int, each func(records []byte) error) error {
	var buffer []byte
	for _, c := range s.chunks[bucket] {
		b := c.records
		if b != nil {
			s.memory += chunkBytes
		} else {
			if buffer == nil {
				buffer = make([]byte, chunkBytes)
			}
			b = buffer
			if _, err := s.file.ReadAt(b, c.at); err != nil {
				return fmt.Errorf("%s: %s: %w", s.dir, s.what, err)
			}
			s.free = append(s.free, c.at)
		}
		if err := each(b); err != nil {
			return err
		}
	}
	s.chunks[bucket] = nil
	last := s.waiting[bucket]
	s.waiting[bucket] = nil
	return each(last)
}

// noRoom explains an error of a file in a directory that has a number of bytes.
func noRoom(dir, what string, bytes int64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s can't be stored: %w; free more than %.2f GB there, or set TMPDIR to another directory",
		dir, what, err, float64(bytes)/1e9)
}

func (s *spill) close() {
	if s.file != nil {
		s.file.Close()
		remove(s.file)
	}
}
