package stored

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"iter"
	"os"

	"github.com/dl4go/dl4go/data"
)

// A reference stands for many rows of a file, in an order. It is itself a row, which is sent to a worker instead of
// them:
//
//	'F', length u32 and JSON of head, the rows' numbers u32 each unless they are From … To-1
const referenceMagic = 'F'

// head is a reference without the numbers of its rows.
type head struct {
	Path       string
	Layout     layout
	Memory     bool   `json:",omitempty"`
	Normalizer []byte `json:",omitempty"` // the content of normalizer.bin
	From, To   int    `json:",omitzero"`
}

// MaxRows is the maximum number of rows in a file with references.
const MaxRows = 1<<32 - 1

// Reference returns a reference to the rows from … to-1, or to as many rows with other numbers, in their order. by is
// the output of data.WriteNormalizer; unless it is nil, a worker normalizes the rows by it.
func (r *Rows) Reference(by []byte, numbers iter.Seq[int64], from, to int) ([]byte, error) {
	h, n := head{Path: r.path, Layout: r.layout, Memory: r.memory, Normalizer: by}, to-from
	if numbers == nil {
		h.From, h.To, n = from, to, 0
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint32(append(make([]byte, 0, 5+len(text)+4*n), referenceMagic),
		uint32(len(text)))
	b = append(b, text...)
	if numbers != nil {
		for i := range numbers {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
	}
	return b, nil
}

// IsReference reports whether a row is a reference.
func IsReference(row []byte) bool { return len(row) > 0 && row[0] == referenceMagic }

// Referred are the rows that a reference stands for.
type Referred struct {
	head
	rows    *Rows
	numbers []byte // u32 each
	by      data.Normalizer
}

var errReference = errors.New("these bytes are not a reference to stored examples")

// Open opens the file of a reference. It keeps the reference's bytes.
func Open(reference []byte) (*Referred, error) {
	if !IsReference(reference) || len(reference) < 5 {
		return nil, errReference
	}
	n := int(binary.LittleEndian.Uint32(reference[1:]))
	if n > len(reference)-5 {
		return nil, errReference
	}
	r := &Referred{numbers: reference[5+n:]}
	if err := json.Unmarshal(reference[5:5+n], &r.head); err != nil {
		return nil, err
	}
	if err := r.Layout.check(); err != nil {
		return nil, err
	}
	if r.Normalizer != nil {
		var err error
		if r.by, err = data.ReadNormalizer(bytes.NewReader(r.Normalizer), int64(len(r.Normalizer))); err != nil {
			return nil, err
		}
	}
	file, err := os.Open(r.Path)
	if err != nil {
		return nil, err
	}
	r.rows = &Rows{layout: r.Layout, file: file, path: r.Path, memory: r.Memory}
	if r.Memory {
		r.rows.mapped = mapping(file)
	}
	return r, nil
}

// Len returns the number of rows.
func (r *Referred) Len() int {
	if r.To > 0 {
		return r.To - r.From
	}
	return len(r.numbers) / 4
}

func (r *Referred) number(i int) int {
	if r.To > 0 {
		return r.From + i
	}
	return int(binary.LittleEndian.Uint32(r.numbers[4*i:]))
}

// At returns a row's bytes, which are read-only.
func (r *Referred) At(i int) ([]byte, error) {
	b, err := r.rows.At(r.number(i))
	if err != nil || r.by == nil {
		return b, err
	}
	m, err := data.DecodeRow(b)
	if err == nil {
		err = r.by.Transform(m)
	}
	if err != nil {
		return nil, err
	}
	return data.AppendRow(nil, m), nil
}

// AppendTo appends a row's bytes to b.
func (r *Referred) AppendTo(b []byte, i int) ([]byte, error) {
	if r.by == nil {
		return r.rows.AppendTo(b, r.number(i))
	}
	row, err := r.At(i)
	return append(b, row...), err
}

// Soon asks the system to read a row ahead, unless it does so by itself because rows follow each other.
func (r *Referred) Soon(i int) {
	if r.To == 0 {
		r.rows.Soon(r.number(i))
	}
}

// Shuffles reports whether n of the rows should be read in the order of their file, and Shuffle can change it.
func (r *Referred) Shuffles(n int) bool { return r.rows.Shuffles(n) }

// Shuffle returns rows in an order, which counts from the row first on, in another file. See [Rows.Shuffle].
func (r *Referred) Shuffle(ctx context.Context, first int, o Order) (*Referred, error) {
	rows, err := r.rows.Shuffle(ctx, referredOrder{o, r, first})
	if err != nil {
		return nil, err
	}
	return &Referred{head: head{To: o.Len()}, rows: rows, by: r.by}, nil
}

// referredOrder is an order of referred rows.
type referredOrder struct {
	Order
	of    *Referred
	first int
}

func (o referredOrder) Each(ctx context.Context, dir string, yield func(place, number int) error) error {
	return o.Order.Each(ctx, dir, func(place, i int) error { return yield(place, o.of.number(o.first+i)) })
}

// Close closes the file.
func (r *Referred) Close() error { return r.rows.Close() }
