package resident

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/stored"
)

// Rows are those of a worker's partition, which it keeps for as long as it stays: in memory while there is enough of
// it, and the others in a file without a name, which ends with the process.
type Rows struct {
	stored []*stored.Referred // a file of this machine has them, and none are kept
	until  []int              // where those of each end
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
			case stored.IsReference(row.Bytes):
				err = r.refer(row.Bytes)
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

// refer takes the rows that a row refers to, behind those of others like it.
func (r *Rows) refer(row []byte) error {
	of, err := stored.Open(row)
	if err != nil {
		return err
	}
	r.until, r.stored = append(r.until, r.Len()+of.Len()), append(r.stored, of)
	return nil
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
func (r *Rows) Len() int {
	if n := len(r.until); n > 0 {
		return r.until[n-1]
	}
	return len(r.memory) + len(r.ends)
}

// find finds a row that others refer to.
func (r *Rows) find(i int) (of *stored.Referred, at int) {
	k, _ := slices.BinarySearch(r.until, i+1)
	if k > 0 {
		i -= r.until[k-1]
	}
	return r.stored[k], i
}

// Soon has the system begin to read rows that will be asked for.
func (r *Rows) Soon(rows ...int) {
	if r.stored == nil {
		return
	}
	for _, i := range rows {
		of, at := r.find(i)
		of.Soon(at)
	}
}

// At gives a row's bytes, which are shared: read only.
func (r *Rows) At(i int) ([]byte, error) {
	if r.stored != nil {
		of, at := r.find(i)
		return of.At(at)
	}
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

// soonRows is how many rows ahead the system is told which are read.
const soonRows = 64

// Range gives the rows from one on, up to another.
func (r *Rows) Range(from, to int) engine.Rows {
	for i := from; i < min(to, from+soonRows); i++ {
		r.Soon(i)
	}
	return engine.RowsFunc(func() (engine.Row, error) {
		if from >= to {
			return engine.Row{}, io.EOF
		}
		if from+soonRows < to {
			r.Soon(from + soonRows)
		}
		b, err := r.At(from)
		from++
		return engine.Unindexed(b), err
	})
}

// Close removes the file, or lets go of that of others.
func (r *Rows) Close() {
	for _, of := range r.stored {
		of.Close()
	}
	if r.file != nil {
		r.file.Close()
		os.Remove(r.file.Name())
	}
}
