package tune

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// shipped is the number of a table's examples in one block.
const shipped = 4096

// shipment describes data that is sent to the workers. Its blocks follow: for each, 8 bytes with the length, and a row
// of package data.
type shipment struct {
	Info  source.Info `json:"info"`
	Table bool        `json:"table"`
}

// ship returns the bytes of a source: for a table its examples, for others their unchanged objects. So training on
// them is the same as on the original source.
func ship(ctx context.Context, s source.Source) ([]byte, error) {
	table, is := s.(source.Table)
	rows, one := s.(interface{ Rowwise() bool }) // for a query
	text, err := json.Marshal(shipment{s.Info(), is || one && rows.Rowwise()})
	if err != nil {
		return nil, err
	}
	b := appendBlock(nil, text)
	step := 1
	if is {
		step = shipped
	}
	for at := 0; at < s.Objects(); at += step {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		var m *data.MultiDataSet
		if is {
			m = table.Range(at, min(at+step, s.Objects()))
		} else if m, err = s.Object(at); err != nil {
			return nil, err
		}
		b = appendBlock(b, data.AppendRow(nil, m))
	}
	return b, nil
}

func appendBlock(b, block []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(block))), block...)
}

func takeBlock(b []byte) (block, rest []byte, err error) {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
		return nil, nil, errMessage
	}
	n := binary.LittleEndian.Uint64(b)
	return b[8 : 8+n], b[8+n:], nil
}

// unship makes a source from the bytes of ship.
func unship(b []byte) (source.Source, error) {
	text, b, err := takeBlock(b)
	if err != nil {
		return nil, err
	}
	var of shipment
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, err
	}
	var sets []*data.MultiDataSet
	for len(b) > 0 {
		var row []byte
		if row, b, err = takeBlock(b); err != nil {
			return nil, err
		}
		m, err := data.DecodeRow(row)
		if err != nil {
			return nil, err
		}
		sets = append(sets, m)
	}
	if !of.Table {
		return objects{of.Info, sets}, nil
	}
	all, err := data.Merge(sets)
	if err != nil {
		return nil, err
	}
	return source.InMemory(of.Info, all)
}

// objects is a source that is not a table.
type objects struct {
	info source.Info
	sets []*data.MultiDataSet
}

func (o objects) Info() source.Info { return o.info }
func (o objects) Objects() int      { return len(o.sets) }

func (o objects) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= len(o.sets) {
		return nil, fmt.Errorf("%s has no object %d: there are %d", o.info.Name, i, len(o.sets))
	}
	return o.sets[i].Clone(), nil
}

// sharedData returns data that a process only decodes once.
func sharedData(t *engine.Task, id engine.BroadcastID) (source.Source, error) {
	return engine.Shared(t, id, "tune.data", func(b []byte) (source.Source, error) {
		s, err := unship(b)
		return s, engine.Permanent(err)
	})
}
