package distributed

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// SendRaw makes a table from rows that this process reads, for data that the workers can't read. This process keeps the
// rows in memory. SendRaw calls bad for each unreadable row; an error of bad ends the reading.
func SendRaw(e engine.Engine, rows source.Rows, bad func(error) error) (*RawTable, error) {
	var all []engine.Row
	for {
		item, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if err = bad(err); err != nil {
				return nil, err
			}
			continue
		}
		all = append(all, engine.Unindexed(pipeline.AppendItem(appendPlace(nil, rows.Place()), item)))
	}
	parts := make([][]engine.Row, e.Slots())
	at := 0
	for p, end := range engine.EvenEnds(len(all), len(parts)) {
		parts[p], at = all[at:end], end
	}
	t := &RawTable{schema: rows.Schema(), rows: engine.Parallelize(e, parts)}
	t.conf.Table, t.conf.Sent = schemaText{t.schema}, true
	return t, nil
}

// appendPlace begins an item's row with its place.
func appendPlace(to []byte, place string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(place))), place...)
}

// sentRows are the items of a partition.
type sentRows struct {
	schema *pipeline.Schema
	in     engine.Rows
	place  string
}

// Schema returns the columns.
func (r *sentRows) Schema() *pipeline.Schema { return r.schema }

// Place returns where the driver read the last item.
func (r *sentRows) Place() string { return r.place }

// Close does nothing: the rows belong to the task.
func (r *sentRows) Close() error { return nil }

// Next returns the next item.
func (r *sentRows) Next() (item pipeline.Item, err error) {
	row, err := r.in.Next()
	if err != nil {
		return item, err
	}
	item, r.place, err = cutPlace(row.Bytes)
	return item, err
}

var errPlace = errors.New("the row has no place: driver and workers must be the same build")

// cutPlace reads an item with its place.
func cutPlace(row []byte) (item pipeline.Item, place string, err error) {
	n, used := binary.Uvarint(row)
	if used <= 0 || n > uint64(len(row)-used) {
		return item, "", engine.Permanent(errPlace)
	}
	item, err = pipeline.ReadItem(row[used+int(n):])
	return item, string(row[used : used+int(n)]), engine.Permanent(err)
}

// packRows packs the rows of a partition, each with its length before it.
func packRows(rows []engine.Row) (packed []byte) {
	for _, row := range rows {
		packed = append(binary.AppendUvarint(packed, uint64(len(row.Bytes))), row.Bytes...)
	}
	return packed
}

// unpackRows returns the rows of packRows. They share its memory.
func unpackRows(packed []byte) engine.Rows {
	return engine.RowsFunc(func() (engine.Row, error) {
		if len(packed) == 0 {
			return engine.Row{}, io.EOF
		}
		n, used := binary.Uvarint(packed)
		if used <= 0 || n > uint64(len(packed)-used) {
			return engine.Row{}, engine.Permanent(errPlace)
		}
		row := engine.Unindexed(packed[used : used+int(n)])
		packed = packed[used+int(n):]
		return row, nil
	})
}
