package slots

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/dl4go/dl4go/engine"
)

// block is the kept rows of one partition. They can be read in any order, until all users have released the block.
type block interface {
	len() int
	row(i int) (engine.Row, error)
	retain()
	release()
}

// read returns a block's rows in order.
func read(b block) engine.Rows {
	i := 0
	return engine.RowsFunc(func() (engine.Row, error) {
		if i == b.len() {
			return engine.Row{}, io.EOF
		}
		i++
		return b.row(i - 1)
	})
}

// memory counts the references to a block in memory, so that the store knows how many bytes it holds.
type memory struct {
	refs  atomic.Int64
	size  int64
	store *store // nil: not counted
}

// counted adds the block, with one reference, to the memory that s has in use.
func (m *memory) counted(s *store, size int64) {
	m.store, m.size = s, size
	m.refs.Store(1)
}

func (m *memory) retain() { m.refs.Add(1) }

func (m *memory) release() {
	if m.refs.Add(-1) == 0 && m.store != nil {
		m.store.used.Add(-m.size)
	}
}

// rowBlock holds rows by reference.
type rowBlock struct {
	memory
	rows []engine.Row
}

func (b *rowBlock) len() int                      { return len(b.rows) }
func (b *rowBlock) row(i int) (engine.Row, error) { return b.rows[i], nil }

// packedBlock holds the rows' bytes one after the other.
type packedBlock struct {
	memory
	bytes   []byte
	ends    []int
	indices []int64
}

func pack(rows []engine.Row, size int64) *packedBlock {
	b := &packedBlock{bytes: make([]byte, 0, size), ends: make([]int, len(rows)), indices: make([]int64, len(rows))}
	for i, row := range rows {
		b.bytes = append(b.bytes, row.Bytes...)
		b.ends[i], b.indices[i] = len(b.bytes), row.Index
	}
	return b
}

func (b *packedBlock) len() int { return len(b.ends) }

func (b *packedBlock) row(i int) (engine.Row, error) {
	from, to := 0, b.ends[i]
	if i > 0 {
		from = b.ends[i-1]
	}
	return engine.Row{Index: b.indices[i], Bytes: b.bytes[from:to:to]}, nil
}

// fileBlock holds the rows' bytes in a file.
type fileBlock struct {
	refs atomic.Int64
	file *os.File
	rows []location
}

type location struct {
	index, at int64
	n         int
	crc       uint32
}

func (b *fileBlock) len() int { return len(b.rows) }

func (b *fileBlock) row(i int) (engine.Row, error) {
	l := b.rows[i]
	bytes := make([]byte, l.n)
	_, err := b.file.ReadAt(bytes, l.at)
	if err == nil && engine.CRC32C(0, bytes) != l.crc {
		err = fmt.Errorf("%s: the row at offset %d is not the one that was written (CRC32C)", b.file.Name(), l.at)
	}
	return engine.Row{Index: l.index, Bytes: bytes}, err
}

func (b *fileBlock) retain() { b.refs.Add(1) }

func (b *fileBlock) release() {
	if b.refs.Add(-1) == 0 {
		b.file.Close()
		os.Remove(b.file.Name())
	}
}

// spill writes rows to a file as they come.
type spill struct {
	block *fileBlock
	out   *bufio.Writer
	at    int64
	dir   string
}

// explain adds the cause and the remedy to an error of the file.
func (s *spill) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: the rows of a partition can't be kept on disk: %w; those so far take %.2f GB there; free "+
		"more space than that, or name another directory in TMPDIR", s.dir, err, float64(s.at)/1e9)
}

func newSpill(dir string) (*spill, error) {
	f, err := os.CreateTemp(dir, "partition-")
	if err != nil {
		return nil, err
	}
	return &spill{block: &fileBlock{file: f}, out: bufio.NewWriterSize(f, 256<<10), dir: dir}, nil
}

func (s *spill) Write(row engine.Row) error {
	if _, err := s.out.Write(row.Bytes); err != nil {
		return s.explain(err)
	}
	n := len(row.Bytes)
	s.block.rows = append(s.block.rows, location{row.Index, s.at, n, engine.CRC32C(0, row.Bytes)})
	s.at += int64(n)
	return nil
}
