package worker

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dl4go/dl4go/engine"
)

// RegisterRelease tells workers how to remove the files in Task.Released. An engine calls it in init if its workers
// find values in files of their own, not in the driver's.
func RegisterRelease(remove func(conf json.RawMessage)) {
	if release != nil {
		panic("two ways of releasing are registered")
	}
	release = remove
}

var release func(json.RawMessage)

// broadcasts are the values that a worker's tasks ask for. They are read from files.
type broadcasts struct {
	mu     sync.Mutex
	files  map[engine.BroadcastID]string
	sums   map[engine.BroadcastID]Sum
	values map[engine.BroadcastID][]byte
	free   map[engine.BroadcastID]func()
}

func newBroadcasts() *broadcasts {
	return &broadcasts{files: make(map[engine.BroadcastID]string), sums: make(map[engine.BroadcastID]Sum),
		values: make(map[engine.BroadcastID][]byte),
		free:   make(map[engine.BroadcastID]func())}
}

// find records where the values lie.
func (b *broadcasts) find(files map[engine.BroadcastID]string, sums map[engine.BroadcastID]Sum) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.Copy(b.files, files)
	maps.Copy(b.sums, sums)
}

// forget drops a value that was released. Nothing may still refer to it.
func (b *broadcasts) forget(id engine.BroadcastID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.files, id)
	delete(b.sums, id)
	delete(b.values, id)
	if free := b.free[id]; free != nil {
		free()
		delete(b.free, id)
	}
}

// Broadcast returns a value. It reads the value the first time.
func (b *broadcasts) Broadcast(id engine.BroadcastID) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if value, ok := b.values[id]; ok {
		return value, nil
	}
	path, ok := b.files[id]
	if !ok {
		return nil, engine.Permanent(fmt.Errorf("broadcast %q was released, or is of another engine", id))
	}
	found := []string{path}
	if strings.Contains(path, "*") {
		var err error
		if found, err = filepath.Glob(path); err != nil || len(found) == 0 {
			return nil, fmt.Errorf("broadcast %q: no file is at %s", id, path)
		}
	}
	value, free, err := b.whole(id, found)
	if os.IsNotExist(err) {
		return nil, engine.Permanent(fmt.Errorf("broadcast %q was released: %w", id, err))
	}
	if err != nil {
		return nil, fmt.Errorf("broadcast %q: %w", id, err)
	}
	b.values[id] = value
	if free != nil {
		b.free[id] = free
	}
	return value, nil
}

// Sum is the expected size and checksum of a file.
type Sum struct {
	Size   int
	CRC32C uint32
}

// SumOf returns the Sum of bytes.
func SumOf(b []byte) Sum { return Sum{len(b), engine.CRC32C(0, b)} }

// whole reads the first file that has its sum. Of the files of two sessions on a machine, one may be half copied.
func (b *broadcasts) whole(id engine.BroadcastID, files []string) (value []byte, free func(), err error) {
	want, known := b.sums[id]
	var failed error
	for _, path := range files {
		if value, free, err = readValue(path); err == nil && known {
			if got := SumOf(value); got != want {
				err = fmt.Errorf("%s is not whole: it has %d bytes, CRC32C %08x, wanted %d, %08x", path, got.Size, got.CRC32C,
					want.Size, want.CRC32C)
				if free != nil {
					free()
				}
			}
		}
		if err == nil {
			return value, free, nil
		}
		if failed == nil || os.IsNotExist(failed) {
			failed = err
		}
	}
	return nil, nil, failed
}
