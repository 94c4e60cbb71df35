package engine

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/storage"
)

// Plan says how a data set is made: one of the types below, or an engine's own source. Engines evaluate it. The method
// Plan does nothing: it marks a type as a plan.
type Plan interface{ Plan() }

// DriverRows are rows that the driver has, in memory or in a file.
type DriverRows struct{ Partitions []Part }

// Part is a partition of the driver's rows. It may be read many times, by several goroutines.
type Part interface {
	// Len returns the number of rows, and Size about that of their bytes.
	Len() int
	Size() int64
	// Rows reads the rows.
	Rows() Rows
}

// RowSlice has rows in memory.
type RowSlice []Row

// Len returns the number of rows.
func (s RowSlice) Len() int { return len(s) }

// Size returns the number of bytes in the rows.
func (s RowSlice) Size() (n int64) {
	for _, row := range s {
		n += int64(len(row.Bytes))
	}
	return n
}

// Rows reads the rows.
func (s RowSlice) Rows() Rows { return SliceRows(s) }

// Files has a row for each path.
type Files struct {
	Partitions [][]string
	// Cuts, unless nil, are the pieces of these files that the rows have instead of the whole contents.
	Cuts [][]Cut
	// Opened is true if the rows refer to the files and do not have their contents: see [OpenFiles].
	Opened bool
	// Watch, unless nil, makes jobs fail if a file has changed since the first job.
	Watch *storage.Watch
}

// Cut is a range of bytes of a file: From, …, To-1. A negative To means the end of the file, and a negative From counts
// from there. A Cut may reach beyond the end; it then stops there.
type Cut struct{ From, To int64 }

// Of returns the offset and the length of the Cut in a file of size bytes.
func (c Cut) Of(size int64) (from, n int64) {
	to := size
	if c.To >= 0 {
		to = min(c.To, size)
	}
	from = min(c.From, size)
	if c.From < 0 {
		from = max(size+c.From, 0)
	}
	return from, max(to-from, 0)
}

// Indexed numbers the rows 0 … N-1. Counts are the numbers of rows in each partition if they are known beforehand,
// otherwise nil. The job fails if a partition has a different number of rows.
type Indexed struct {
	Parent *Dataset
	Counts []int64
}

// Exchanged moves rows by their index.
type Exchanged struct {
	Parent     *Dataset
	Assignment Assignment
}

// Selected has some partitions of the parent, in this order.
type Selected struct {
	Parent     *Dataset
	Partitions []int
}

// Mapped runs an operation on each partition. With Combine, the operation only runs on two rows or more, and must write
// one: see Apply.
type Mapped struct {
	Parent  *Dataset
	Step    Step
	Combine bool
}

// Gathered joins each Size neighbouring partitions of the parent, in their order, into one. Separate tasks compute the
// parent's partitions.
type Gathered struct {
	Parent *Dataset
	Size   int
}

func (DriverRows) Plan() {}
func (Files) Plan()      {}
func (Indexed) Plan()    {}
func (Exchanged) Plan()  {}
func (Selected) Plan()   {}
func (Mapped) Plan()     {}
func (Gathered) Plan()   {}

// Apply runs the step on a partition, for engines. With Combine, it runs the step only if there are two rows or more;
// the step must write exactly one.
func (m Mapped) Apply(t *Task, in Rows, out Writer) error {
	if !m.Combine {
		return m.Step.Run(t, in, out)
	}
	first, err := in.Next()
	if err != nil {
		return ignoreEOF(err)
	}
	second, err := in.Next()
	if err == io.EOF {
		return out.Write(first)
	} else if err != nil {
		return err
	}
	ahead := []Row{first, second}
	written := 0
	err = m.Step.Run(t, RowsFunc(func() (Row, error) {
		if len(ahead) > 0 {
			row := ahead[0]
			ahead = ahead[1:]
			return row, nil
		}
		return in.Next()
	}), WriterFunc(func(row Row) error {
		if written++; written > 1 {
			return nil
		}
		return out.Write(row)
	}))
	if err == nil && written != 1 {
		err = &StepError{m.Step.Name(), Permanent(fmt.Errorf("combining gave %d rows, wanted 1", written))}
	}
	return err
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// File is a row of Files: a file's path and its contents, or a piece of them.
type File struct {
	Path    string
	Content []byte
}

// Row packs the file: the path's length as a varint, the path, the contents.
func (f File) Row() Row {
	b := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen32+len(f.Path)+len(f.Content)), uint64(len(f.Path)))
	return Unindexed(append(append(b, f.Path...), f.Content...))
}

// FileOf unpacks a row of Files. Content shares the row's bytes.
func FileOf(row Row) (File, error) {
	n, used := binary.Uvarint(row.Bytes)
	if used <= 0 || n > uint64(len(row.Bytes)-used) {
		return File{}, Permanent(fmt.Errorf("a row of %d bytes does not hold a file", len(row.Bytes)))
	}
	path, content := row.Bytes[used:used+int(n)], row.Bytes[used+int(n):]
	return File{string(path), content}, nil
}
