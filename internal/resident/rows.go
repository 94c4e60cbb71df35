package resident

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
)

// Rows are those of a worker's partition, which it keeps for as long as it stays: in memory while there is enough of
// it, and the others in a file without a name, which ends with the process.
type Rows struct {
	memory [][]byte
	file   *os.File
	ends   []int64 // in the file
}

// lookEvery is after how many bytes kept the memory is looked at.
const lookEvery = 16 << 20

// Keep reads rows to their end, and keeps them.
func Keep(in engine.Rows) (*Rows, error) { return keep(in, enough) }

func keep(in engine.Rows, enough func(kept int64) bool) (*Rows, error) {
	r := &Rows{}
	spill := spill{rows: r}
	kept, looked := int64(0), int64(0)
	for row, err := range engine.All(in) {
		if err == nil {
			switch {
			case r.file != nil:
				err = spill.add(row.Bytes)
			case kept-looked >= lookEvery && !enough(kept):
				err = spill.begin(row.Bytes)
			default:
				if kept-looked >= lookEvery {
					looked = kept
				}
				r.memory = append(r.memory, row.Bytes)
				kept += int64(len(row.Bytes))
			}
		}
		if err != nil {
			r.Close()
			return nil, err
		}
	}
	if err := spill.end(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// enough says whether there is memory for more: three quarters of the machine's are in use at most, and the rows have
// at most a quarter of what a container may have, which has to do for others too, such as a Java virtual machine. Where
// nothing is known of the machine, it is 1 GiB.
func enough(kept int64) bool {
	m := checkup.ReadMemory()
	if m.Total == 0 || m.Available == 0 {
		return kept < 1<<30
	}
	return m.Available > m.Total/4 && (m.Limit == 0 || kept < m.Limit/4)
}

// spill writes rows to a file.
type spill struct {
	rows *Rows
	out  []byte
	at   int64
}

// spillBytes is how much is written at once.
const spillBytes = 1 << 20

func (s *spill) begin(first []byte) (err error) {
	if s.rows.file, err = os.CreateTemp("", "dl4go-rows-*"); err != nil {
		return fmt.Errorf("rows that memory has no room for can't be kept: %w; TMPDIR says where they go", err)
	}
	// What has no name is gone with the process. Where that can't be, it is removed by Close.
	os.Remove(s.rows.file.Name())
	return s.add(first)
}

func (s *spill) add(row []byte) error {
	s.out = append(s.out, row...)
	s.at += int64(len(row))
	s.rows.ends = append(s.rows.ends, s.at)
	if len(s.out) < spillBytes {
		return nil
	}
	return s.end()
}

func (s *spill) end() error {
	if len(s.out) == 0 {
		return nil
	}
	_, err := s.rows.file.Write(s.out)
	s.out = s.out[:0]
	if err != nil {
		return fmt.Errorf("%d bytes of rows that memory has no room for can't be kept: %w; TMPDIR says where they go", s.at,
			err)
	}
	return nil
}

// Len is how many there are.
func (r *Rows) Len() int { return len(r.memory) + len(r.ends) }

// At gives a row's bytes, which are shared: read only.
func (r *Rows) At(i int) ([]byte, error) {
	if i < len(r.memory) {
		return r.memory[i], nil
	}
	i -= len(r.memory)
	from := int64(0)
	if i > 0 {
		from = r.ends[i-1]
	}
	b := make([]byte, r.ends[i]-from)
	if _, err := r.file.ReadAt(b, from); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the end of the file is none of the rows
		}
		return nil, fmt.Errorf("row %d, kept in a file: %w", len(r.memory)+i, err)
	}
	return b, nil
}

// Range gives the rows from one on, up to another.
func (r *Rows) Range(from, to int) engine.Rows {
	return engine.RowsFunc(func() (engine.Row, error) {
		if from >= to {
			return engine.Row{}, io.EOF
		}
		b, err := r.At(from)
		from++
		return engine.Unindexed(b), err
	})
}

// Close removes the file.
func (r *Rows) Close() {
	if r.file != nil {
		r.file.Close()
		os.Remove(r.file.Name())
	}
}
