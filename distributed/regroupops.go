package distributed

import (
	"encoding/binary"
	"encoding/json"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// namingConf says which rows form a sequence.
type namingConf struct {
	source.Sequencing
	Of source.Name // its settings say which rows are skipped
}

// namingFound reports a partition's skipped rows, and the time of its first other row.
type namingFound struct {
	source.Found
	Times *source.SequenceTimes
}

// nameSequences adds the name of its sequence to each row.
var nameSequences = RegisterRaw("distributed.sequence.name",
	func(t *engine.Task, conf namingConf, each func(func(source.Rows) error) error, out engine.Writer) error {
		bad, found, first := conf.Of.BadRows(), namingFound{}, true
		err := each(func(rows source.Rows) error {
			keys, err := conf.SequenceKeys(rows)
			if err != nil {
				return engine.Permanent(err)
			}
			return eachItem(t, rows, bad, func(i pipeline.Item) error {
				name, times, err := keys.Of(i.Row)
				if err != nil {
					return engine.Permanent(bad.Allow(err))
				}
				if first {
					found.Times, first = times, false
				}
				row := binary.AppendUvarint(nil, uint64(len(name)+1))
				row = appendPlace(append(append(row, name...), kindOfTime(times)), rows.Place())
				return out.Write(engine.Unindexed(pipeline.AppendItem(row, i)))
			})
		})
		if err != nil {
			return err
		}
		found.Found = bad.Found()
		b, err := json.Marshal(found)
		if err != nil {
			return err
		}
		return out.Write(engine.Unindexed(append([]byte{lostRow}, b...)))
	})

func kindOfTime(t *source.SequenceTimes) byte {
	switch {
	case t == nil:
		return noTime
	case t.Dates:
		return dateTime
	}
	return numberTime
}

// namesBytes is the approximate size of a row of names.
const namesBytes = 64 << 10

// onlyNames returns the names of the rows, many in one row, and the partition's namingFound.
var onlyNames = engine.Register("distributed.sequence.names",
	func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		var names []byte
		flush := func() error {
			if names == nil {
				return nil
			}
			err := out.Write(engine.Unindexed(names))
			names = nil
			return err
		}
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			if row.Bytes[0] == lostRow {
				err = out.Write(row)
			} else {
				var rest []byte
				if _, rest, err = cutName(row.Bytes); err != nil {
					return err
				}
				names = append(names, row.Bytes[:len(row.Bytes)-len(rest)]...)
				if len(names) >= namesBytes {
					err = flush()
				}
			}
			if err != nil {
				return err
			}
		}
		return flush()
	})

// onlyRowsOf returns the rows without their names.
var onlyRowsOf = engine.Register("distributed.sequence.rows",
	func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			if row.Bytes[0] == lostRow {
				continue
			}
			_, rest, err := cutName(row.Bytes)
			if err != nil {
				return err
			}
			if err := out.Write(engine.Unindexed(rest)); err != nil {
				return err
			}
		}
		return nil
	})

// countRegrouped counts the sequences of a partition.
var countRegrouped = RegisterRaw("distributed.sequence.count",
	func(t *engine.Task, conf source.Name, each func(func(source.Rows) error) error, out engine.Writer) error {
		bad := conf.BadRows()
		return each(func(rows source.Rows) error {
			for {
				if err := t.Context().Err(); err != nil {
					return err
				}
				_, err := rows.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					if err = bad.Allow(err); err != nil {
						return engine.Permanent(err)
					}
				}
			}
			n, err := source.CountsOf(rows)
			if err != nil {
				return engine.Permanent(err)
			}
			b, err := json.Marshal(n)
			if err != nil {
				return err
			}
			return out.Write(engine.Unindexed(b))
		})
	})
