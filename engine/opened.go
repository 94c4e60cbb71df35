package engine

import (
	"bytes"
	"context"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// Opener is a [Worker] whose tasks open files that their rows refer to.
type Opener interface {
	// OpenFile opens the file of a row of [OpenFiles]. The context also governs the file's reads.
	OpenFile(ctx context.Context, f File) (storage.File, error)
}

// Open opens the file of a row of [OpenFiles] or [ReadFiles]. The operation closes it; an error of Close says that the
// file has changed. If the engine brought the contents, the file is in memory.
func (t *Task) Open(f File) (storage.File, error) {
	if o, ok := t.worker.(Opener); ok {
		return o.OpenFile(t.ctx, f)
	}
	return InMemory(f.Content), nil
}

// InMemory returns an open file with this content, which must not change.
func InMemory(content []byte) storage.File { return memoryFile{bytes.NewReader(content)} }

type memoryFile struct{ *bytes.Reader }

func (memoryFile) Close() error { return nil }

func (memoryFile) ModTime() time.Time { return time.Time{} }
