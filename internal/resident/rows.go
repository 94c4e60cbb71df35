package resident

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/stored"
)

// Rows are the rows of a worker's partition, for as long as the worker stays. They are in memory as long as there is
// enough. The others are in a file without a name, which ends with the process.
type Rows struct {
	stored []*stored.Referred // references to a file of this machine; then no rows are kept
	until  []int              // by reference: the number of the first row after it
	memory [][]byte
	file   *os.File
	ends   []int64 // in the file
}

// lookEvery is the number of kept bytes between two checks of the memory.
const lookEvery = 16 << 20

// Keep reads all rows, and keeps them.
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

// refer appends the rows that a row refers to.
func (r *Rows) refer(row []byte) error {
	of, err := stored.Open(row)
	if err != nil {
		return err
	}
	r.until, r.stored = append(r.until, r.Len()+of.Len()), append(r.stored, of)
	return nil
}

// enough reports whether there is memory for more rows. At least a quarter of the machine's memory must be available.
// In a container, rows may take a quarter of its limit at most, as other processes, such as a Java virtual machine,
// need it too. If the machine's memory is unknown, the limit is 1 GiB.
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
	// A file without a name is gone with the process. If the system can't remove an open file, Close removes it.
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

// Len returns the number of rows.
func (r *Rows) Len() int {
	if n := len(r.until); n > 0 {
		return r.until[n-1]
	}
	return len(r.memory) + len(r.ends)
}

// find returns the reference that has a row, and the row's number in it.
func (r *Rows) find(i int) (of *stored.Referred, at int) {
	k, _ := slices.BinarySearch(r.until, i+1)
	if k > 0 {
		i -= r.until[k-1]
	}
	return r.stored[k], i
}

// Soon asks the system to begin reading a row that will be needed.
func (r *Rows) Soon(i int) {
	if r.stored == nil {
		return
	}
	of, at := r.find(i)
	of.Soon(at)
}

// At returns a row's bytes, which are shared: read only.
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
			err = io.ErrUnexpectedEOF // the file has fewer bytes than the rows
		}
		return nil, fmt.Errorf("row %d, kept in a file: %w", len(r.memory)+i, err)
	}
	return b, nil
}

// AppendTo appends a row's bytes to b.
func (r *Rows) AppendTo(b []byte, i int) ([]byte, error) {
	if r.stored != nil {
		of, at := r.find(i)
		return of.AppendTo(b, at)
	}
	row, err := r.At(i)
	return append(b, row...), err
}

// Shuffle returns rows in an order, which counts from the row first on, if reading them so would be slow, and nil
// otherwise. The caller must close the result.
func (r *Rows) Shuffle(ctx context.Context, first int, o stored.Order) (*Rows, error) {
	if len(r.stored) != 1 || !r.stored[0].Shuffles(o.Len()) {
		return nil, nil
	}
	of, err := r.stored[0].Shuffle(ctx, first, o)
	if err != nil {
		return nil, err
	}
	return &Rows{stored: []*stored.Referred{of}, until: []int{of.Len()}}, nil
}

// Close removes the file, or releases the referenced files.
func (r *Rows) Close() {
	for _, of := range r.stored {
		of.Close()
	}
	if r.file != nil {
		r.file.Close()
		os.Remove(r.file.Name())
	}
}
