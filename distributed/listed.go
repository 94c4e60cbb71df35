package distributed

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// fileList is what a list says of its files. The workers get it as a broadcast value.
type fileList struct {
	files []source.Listed

	mu    sync.Mutex
	value engine.Broadcast // nil before it is sent
	parts []*fileList
}

// listOf tells a worker which files of a list its partition has.
type listOf struct {
	Value             engine.BroadcastID
	Files, Partitions int
}

// send returns how the workers read the files in partitions. A nil list changes nothing.
func (l *fileList) send(ctx context.Context, e engine.Engine, by filesOf, partitions int) (filesOf, error) {
	if l == nil {
		return by, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.value == nil {
		b, err := json.Marshal(l.files)
		if err == nil {
			l.value, err = e.Broadcast(ctx, b)
		}
		if err != nil {
			return by, err
		}
	}
	by.List = &listOf{l.value.ID(), len(l.files), partitions}
	return by, nil
}

// part returns the list of some files. It is released with l.
func (l *fileList) part(at []int) *fileList {
	if l == nil {
		return nil
	}
	part := &fileList{}
	for _, i := range at {
		part.files = append(part.files, l.files[i])
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts = append(l.parts, part)
	return part
}

// release removes the list from the workers.
func (l *fileList) release() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.value != nil {
		l.value.Release()
	}
	for _, part := range l.parts {
		part.release()
	}
}

// at returns what the list says of a file; nil without a list.
func (l *fileList) at(i int) *source.Listed {
	if l == nil {
		return nil
	}
	return &l.files[i]
}

// each calls do with each file of a partition, opened, and with how to read it.
func (f filesOf) each(t *engine.Task, in engine.Rows,
	do func(f filesOf, path string, content source.Content) error) error {
	listed, err := f.listed(t)
	if err != nil {
		return err
	}
	return eachOpened(t, in, func(path string, content source.Content) error {
		if f.List != nil {
			f.For.Listed, listed = &listed[0], listed[1:]
		}
		return do(f, path, content)
	})
}

// listed returns what the list says of the partition's files.
func (f filesOf) listed(t *engine.Task) ([]source.Listed, error) {
	if f.List == nil {
		return nil, nil
	}
	all, err := engine.Shared(t, f.List.Value, "list", func(value []byte) (all []source.Listed, err error) {
		err = json.Unmarshal(value, &all)
		return all, err
	})
	if err != nil {
		return nil, err
	}
	ends, from := engine.EvenEnds(f.List.Files, f.List.Partitions), 0
	if t.Partition > 0 {
		from = ends[t.Partition-1]
	}
	return all[from:ends[t.Partition]], nil
}
