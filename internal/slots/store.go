package slots

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/dl4go/dl4go/engine"
)

// store keeps the partitions of persisted data sets.
type store struct {
	limit int64 // of bytes in memory; 0: none
	used  atomic.Int64
	under string // the directory in which the run directory is made

	mu   sync.Mutex
	dir  *RunDir
	kept map[*engine.Dataset]*kept
}

// kept is the store's record of one data set.
type kept struct {
	level      engine.StorageLevel
	partitions []block       // nil: not yet
	exchange   *exchange     // of an Exchanged data set, instead of its partitions
	building   chan struct{} // holds a token while a job builds the exchange
}

func newStore(o engine.Options) *store {
	return &store{limit: o.StorageMemory, under: o.TempDir, kept: make(map[*engine.Dataset]*kept)}
}

func (s *store) persist(d *engine.Dataset, level engine.StorageLevel) {
	if level == engine.None {
		s.unpersist(d)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kept[d]; k != nil {
		k.level = level
		return
	}
	s.kept[d] = &kept{level: level, partitions: make([]block, d.Partitions()), building: make(chan struct{}, 1)}
}

func (s *store) unpersist(d *engine.Dataset) {
	s.mu.Lock()
	k := s.kept[d]
	delete(s.kept, d)
	s.mu.Unlock()
	if k != nil {
		k.release()
	}
}

func (k *kept) release() {
	for _, b := range k.partitions {
		if b != nil {
			b.release()
		}
	}
	if k.exchange != nil {
		k.exchange.release()
	}
}

// level returns the level at which d's partitions are kept, and whether they are. An exchange keeps its parent's
// blocks, not its own partitions.
func (s *store) level(d *engine.Dataset) (engine.StorageLevel, bool) {
	if _, exchanged := d.Plan().(engine.Exchanged); exchanged {
		return engine.None, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kept[d]; k != nil {
		return k.level, true
	}
	return engine.None, false
}

// get returns a partition, retained for the caller, or nil.
func (s *store) get(d *engine.Dataset, p int) block {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kept[d]; k != nil && k.partitions[p] != nil {
		k.partitions[p].retain()
		return k.partitions[p]
	}
	return nil
}

// put keeps a partition, unless the store already has it.
func (s *store) put(d *engine.Dataset, p int, b block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kept[d]; k != nil && k.partitions[p] == nil {
		b.retain()
		k.partitions[p] = b
	}
}

// admit reserves memory.
func (s *store) admit(size int64) bool {
	if used := s.used.Add(size); s.limit > 0 && used > s.limit {
		s.used.Add(-size)
		return false
	}
	return true
}

func (s *store) directory() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil {
		dir, err := NewRunDir(s.under)
		if err != nil {
			return "", err
		}
		s.dir = dir
	}
	return s.dir.Path, nil
}

func (s *store) close() error {
	s.mu.Lock()
	all := s.kept
	s.kept = make(map[*engine.Dataset]*kept)
	s.mu.Unlock()
	for _, k := range all {
		k.release()
	}
	if s.dir == nil {
		return nil
	}
	return s.dir.Remove(context.Background())
}

// fill makes a block of the rows that write writes, retained for the caller. keep is false if the level has no room for
// it. With must, there is always room on disk. At level NONE, the rows are held by reference and count towards no
// limit: their bytes belong to others.
func (s *store) fill(level engine.StorageLevel, must bool, write func(engine.Writer) error) (b block, keep bool,
	err error) {
	if level.Disk() && !level.Memory() {
		b, err = s.spill(write)
		return b, true, err
	}
	var rows []engine.Row
	var size int64
	err = write(engine.WriterFunc(func(row engine.Row) error {
		rows = append(rows, row)
		size += int64(len(row.Bytes))
		return nil
	}))
	if err != nil {
		return nil, false, err
	}
	if level != engine.None && s.admit(size) {
		if level.Serialised() {
			p := pack(rows, size)
			p.counted(s, size)
			return p, true, nil
		}
		r := &rowBlock{rows: rows}
		r.counted(s, size)
		return r, true, nil
	}
	if level == engine.None || !level.Disk() && !must {
		r := &rowBlock{rows: rows}
		r.retain()
		return r, false, nil
	}
	b, err = s.spill(func(out engine.Writer) error { return copyRows(engine.SliceRows(rows), out) })
	return b, true, err
}

func (s *store) spill(write func(engine.Writer) error) (block, error) {
	dir, err := s.directory()
	if err != nil {
		return nil, err
	}
	out, err := newSpill(dir)
	if err != nil {
		return nil, err
	}
	out.block.retain()
	if err = write(out); err == nil {
		err = out.explain(out.out.Flush())
	}
	if err != nil {
		out.block.release()
		return nil, err
	}
	return out.block, nil
}
