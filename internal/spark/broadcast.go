package spark

import (
	"bytes"
	"context"
	"io"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// valueStore holds the values that went to the cluster, and tracks released ones that may still lie there.
type valueStore struct {
	*cluster
	values   map[engine.BroadcastID][]byte
	sums     map[engine.BroadcastID]worker.Sum // of values that tasks refer to
	released released                          // files that may still lie on the executors
	onServer int64                             // bytes that the server keeps until it ends
}

// Broadcast sends the value to the server, from which each executor fetches it once. The driver keeps it too, until its
// release, for later sessions.
func (e *sessions) Broadcast(ctx context.Context, value []byte) (engine.Broadcast, error) {
	c, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	b := &broadcast{e.valueStore, engine.BroadcastID(e.unique("b"))}
	e.mu.Lock()
	e.values[b.id] = value // first, so that a session that is being made also gets it
	e.mu.Unlock()
	if err := c.send(ctx, b.id, value, nil); err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

type broadcast struct {
	store *valueStore
	id    engine.BroadcastID
}

func (b *broadcast) ID() engine.BroadcastID { return b.id }

func (b *broadcast) Release() {
	e := b.store
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.values[b.id]; !ok {
		return
	}
	delete(e.values, b.id)
	delete(e.sums, b.id)
	e.released.values(string(b.id))
}

// broadcasts returns the files that hold the values, as paths for workers: below the folder of any session, as each
// session has all values. Spark may still be copying some files; sums tell which are complete. The key of loans has no
// sum, as no query may reveal anything about it.
func (e *valueStore) broadcasts() (files map[engine.BroadcastID]string, sums map[engine.BroadcastID]worker.Sum) {
	e.mu.Lock()
	defer e.mu.Unlock()
	files = make(map[engine.BroadcastID]string, len(e.values))
	sums = make(map[engine.BroadcastID]worker.Sum, len(e.values))
	for id, value := range e.values {
		files[id] = "./*/" + string(id)
		if id == e.sealID() {
			continue
		}
		sum, ok := e.sums[id]
		if !ok {
			sum = worker.SumOf(value)
			e.sums[id] = sum
		}
		sums[id] = sum
	}
	return files, sums
}

const (
	// smallValue is the largest value that is sent as a file. Jars start some 50 ms later, which does not matter for
	// larger ones.
	smallValue = 4 << 20
	// serverBytes bounds the files of an engine that the server keeps until the server ends.
	serverBytes = 4 << 30
)

// kind returns how an artifact of this size goes to the server.
func (e *valueStore) kind(size int64) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.onServer+size > serverBytes {
		return connect.AsJar
	}
	e.onServer += size
	return connect.AsFile
}

// send sends a value as an artifact. told, if not nil, is called with the number of bytes on their way.
func (c *carrier) send(ctx context.Context, id engine.BroadcastID, value []byte, told func(n int)) error {
	kind := connect.AsJar
	if len(value) <= smallValue {
		kind = c.engine.kind(int64(len(value)))
	}
	if kind == connect.AsJar {
		c.jars.Add(1)
	}
	c.sent.Add(int64(len(value)))
	c.count.Add(1)
	a := connect.ArtifactBytes(kind+string(id), value)
	if told != nil {
		a.Open = func() (io.ReadCloser, error) {
			return io.NopCloser(&watched{bytes.NewReader(value), len(value), told}), nil
		}
	}
	return c.session.AddArtifacts(ctx, a)
}

// ensure sends a value of the engine unless the session has it.
func (c *carrier) ensure(ctx context.Context, id engine.BroadcastID, value []byte, told func(n int)) error {
	c.ensuring.Lock()
	defer c.ensuring.Unlock()
	if c.has[id] {
		return nil
	}
	err := c.send(ctx, id, value, told)
	c.has[id] = err == nil
	return err
}

// watched reports how far it has been read.
type watched struct {
	*bytes.Reader
	size int
	told func(n int)
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.told(w.size - w.Len())
	return n, err
}
