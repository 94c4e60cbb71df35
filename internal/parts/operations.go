package parts

import (
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/pipeline"
)

// runKeys returns the key of each item that comes to a part.
var runKeys = engine.Register("parts.keys",
	func(_ *engine.Task, steps Steps, in engine.Rows, out engine.Writer) error {
		part, _, err := steps.Load()
		if err != nil {
			return err
		}
		key := part.Key()
		return EachItem(in, out, func(i pipeline.Item) error {
			b, err := key([]byte{ItemRow}, i)
			if err != nil {
				return engine.Permanent(err)
			}
			return out.Write(engine.Unindexed(b))
		})
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
		var writing error
		run := part.Start(before, func(i pipeline.Item) error {
			writing = WriteItem(out, i)
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
