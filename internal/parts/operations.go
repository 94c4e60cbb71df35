package parts

import (
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// keysBytes is the approximate size of a row of keys.
const keysBytes = 64 << 10

// onlyKeys returns the keys of the items, many in one row, and the counts.
var onlyKeys = engine.Register("parts.keys",
	func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		var keys []byte
		flush := func() error {
			if keys == nil {
				return nil
			}
			err := out.Write(engine.Unindexed(keys))
			keys = nil
			return err
		}
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			if row.Bytes[0] == CountRow {
				if err := out.Write(row); err != nil {
					return err
				}
				continue
			}
			head, _, err := keyOf(row.Bytes)
			if err != nil {
				return err
			}
			if keys = append(keys, head...); len(keys) >= keysBytes {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return flush()
	})

// onlyItems drops the counts.
var onlyItems = engine.Register("parts.items",
	func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			if row.Bytes[0] != ItemRow {
				continue
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
		return nil
	})

// partConf describes a part of a pipeline, and the ends of the partitions that it reads.
type partConf struct {
	Steps
	Ends []int
}

// runPart runs a part of a pipeline on items that were arranged for it.
var runPart = engine.Register("parts.part",
	func(t *engine.Task, conf partConf, in engine.Rows, out engine.Writer) error {
		part, _, err := conf.Load()
		if err != nil {
			return err
		}
		before := int64(0)
		if t.Partition > 0 {
			before = int64(conf.Ends[t.Partition-1])
		}
		sink, err := conf.Sink(out)
		if err != nil {
			return err
		}
		var writing error
		run := part.Start(before, func(i pipeline.Item) error {
			if err := sink.Check(i); err != nil {
				return err
			}
			writing = sink.Write(i)
			return writing
		})
		err = EachItem(in, out, run.Push)
		if err == nil {
			err = run.Close()
		}
		if err != nil && writing == nil {
			err = engine.Permanent(err)
		}
		return err
	})
