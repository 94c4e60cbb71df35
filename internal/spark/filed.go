package spark

import (
	"strings"

	"github.com/dl4go/dl4go/engine"
)

// checkpoints reports whether the server can move uploaded rows to the executors. Spark 3.5 can't: rows in its plans
// stay in its heap.
func (j keeper) checkpoints() bool { return !strings.HasPrefix(j.session.Version(), "3.") }

// bring makes a table of the driver's rows. If there are many and the server has no checkpoints, they go to the
// executors in a file, and workers write them for Spark to keep: none is in the server's heap.
func (j keeper) bring(k *keeping, rows engine.DriverRows, level engine.StorageLevel) error {
	if j.checkpoints() || textSize(rows.Partitions) <= uploadLight {
		return j.upload(k, rows.Partitions, storageLevel(level))
	}
	if k.sent == nil {
		s := &sent{file: &broadcast{j.engine.valueStore, engine.BroadcastID(j.engine.unique("b"))},
			size: weight(rows.Partitions)}
		j.engine.mu.Lock()
		k.sent = s
		j.engine.mu.Unlock()
	}
	if err := j.carrier.want(j.ctx, k.name); err != nil {
		return err
	}
	return j.persist(k, k.dataset, level)
}

// filed makes the table of rows in a file.
func (j keeper) filed(d *engine.Dataset, rows engine.DriverRows) (table, error) {
	k, _ := j.use(d)
	if err := k.sent.to(j.job, rows); err != nil {
		return table{}, err
	}
	return k.sent.table(d.Partitions(), j.engine.slots), nil
}

// textSize returns about how many bytes rows have as lines of text, in base64.
func textSize(partitions []engine.Part) int64 {
	const header = 32 // partition, attempt, numbers, kind
	rows := 0
	for _, p := range partitions {
		rows += p.Len()
	}
	return weight(partitions)/3*4 + int64(rows)*header
}
