package spark

import (
	"context"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/connect"
)

// Broadcast sends the value to the server, from where each executor fetches it once. The driver keeps it too, until its
// release, for the sessions that come.
func (e *Engine) Broadcast(ctx context.Context, value []byte) (engine.Broadcast, error) {
	if err := context.Cause(e.base); err != nil {
		return nil, err
	}
	c, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	id := engine.BroadcastID(e.unique("b"))
	if err := c.send(ctx, id, value); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.values[id] = value
	return &broadcast{e, id}, nil
}

// releasedKept is how many of the last released values workers look for, to remove their files.
const releasedKept = 32

type broadcast struct {
	engine *Engine
	id     engine.BroadcastID
}

func (b *broadcast) ID() engine.BroadcastID { return b.id }

func (b *broadcast) Release() {
	e := b.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.values[b.id]; !ok {
		return
	}
	delete(e.values, b.id)
	e.released = append(e.released, b.id)
	e.released = e.released[max(0, len(e.released)-releasedKept):]
}

// broadcasts gives the files that hold the values, and those that are no longer needed, as workers find them.
func (e *Engine) broadcasts() (files map[engine.BroadcastID]string, released []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	files = make(map[engine.BroadcastID]string, len(e.values))
	for id := range e.values {
		files[id] = fileOf(id)
	}
	for _, id := range e.released {
		released = append(released, fileOf(id))
	}
	return files, released
}

// fileOf is where workers find a broadcast's artifact: below the folder of any session, as each has them all.
func fileOf(id engine.BroadcastID) string { return "./*/" + string(id) }

func (c *carrier) send(ctx context.Context, id engine.BroadcastID, value []byte) error {
	c.sent.Add(int64(len(value)))
	c.count.Add(1)
	return c.session.AddArtifacts(ctx, connect.ArtifactBytes("files/"+string(id), value))
}
