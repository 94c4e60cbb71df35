package distributed

import (
	"fmt"

	"github.com/dl4go/dl4go/engine"
)

// asCounted returns the rows. If a query is run again, they must be those that were counted. (The engine itself checks
// persisted rows.)
func (d *Data) asCounted() *engine.Dataset {
	d.mu.Lock()
	commits := d.commits
	d.mu.Unlock()
	if !d.checked || commits == nil || d.Persisted() {
		return d.rows
	}
	return d.rows.Map(sameRows.With(commits))
}

var sameRows = engine.Register("distributed.sameRows", func(t *engine.Task, commits []engine.Commit, in engine.Rows,
	out engine.Writer) error {
	got := engine.Commit{Partition: t.Partition}
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		got.Add(row)
		if err := out.Write(row); err != nil {
			return err
		}
	}
	if t.Partition >= len(commits) || !got.Same(commits[t.Partition]) {
		return engine.Permanent(fmt.Errorf("the query gave other rows than when they were counted: first %v, then %v; its "+
			"table has changed, or it has a random part, such as rand(); persist the rows, which then stay as they are",
			commits[min(t.Partition, len(commits)-1)], got))
	}
	return nil
})
