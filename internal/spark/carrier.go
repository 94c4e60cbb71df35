package spark

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// carrier is a session on the server, with this program and the broadcasts as its artifacts. Executors that join fetch
// all artifacts of a session, including obsolete ones. So the engine changes to a new carrier now and then, when
// broadcasts have filled the old one. Tables are global temporary views, which all carriers see.
type carrier struct {
	catalogue // with the session
	engine    *sessions
	heartbeat *heartbeat
	mark      string       // an artifact that no other carrier has
	sent      atomic.Int64 // bytes of broadcasts sent after its beginning
	count     atomic.Int64 // number of these broadcasts
	jars      atomic.Int64 // how many of them were jars

	ensuring sync.Mutex
	has      map[engine.BroadcastID]bool // values that it began with, or that were ensured

	compiling sync.Mutex
	compilers int // jobs that need compiled queries

	mu      sync.Mutex
	users   int
	retired bool
	ended   chan struct{} // closed when the session has ended
	err     error
}

// Limits of a carrier: bytes of broadcasts and uploaded rows, the number of broadcasts, and the number of jars, which
// queries search.
const (
	carrierBytes = 1 << 30
	carrierCount = 1000
	carrierJars  = 50
)

func (c *carrier) full() bool {
	return c.sent.Load()+c.session.Uploaded() >= carrierBytes || c.count.Load() >= carrierCount ||
		c.jars.Load() >= carrierJars
}

// sessions has the current carrier.
type sessions struct {
	*cluster
	*valueStore
	*wants
	renewing sync.Mutex // held while a new carrier is made
	carrier  *carrier
	silent   time.Time // when the server last failed to answer

	unroutable sync.Once // the warning that workers have no address for the heartbeat
}

// acquire returns the current carrier, which must be released.
func (e *sessions) acquire(ctx context.Context) (*carrier, error) {
	e.renewing.Lock()
	defer e.renewing.Unlock()
	if err := context.Cause(e.base); err != nil {
		return nil, err
	}
	e.mu.Lock()
	c := e.carrier
	e.mu.Unlock()
	if c != nil && !c.full() {
		return c.use(), nil
	}
	fresh, err := e.newCarrier(ctx)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.carrier = fresh
	e.mu.Unlock()
	fresh.use()
	if c != nil {
		e.options.Log.Debug("Spark: a new session, as the last one is full of broadcasts",
			"master", e.Master(), "bytes", c.sent.Load())
		c.retire()
	}
	return fresh, nil
}

func (e *sessions) newCarrier(ctx context.Context) (*carrier, error) {
	session, err := connect.Open(ctx, e.address, e.client)
	if err != nil {
		return nil, err
	}
	c := &carrier{catalogue: catalogue{session}, engine: e, mark: e.unique("s"), ended: make(chan struct{})}
	if err := c.begin(ctx); err != nil {
		session.Close(ctx)
		return nil, err
	}
	return c, nil
}

func (c *carrier) begin(ctx context.Context) error {
	e := c.engine
	if err := c.session.Set(ctx, settings); err != nil {
		return err
	}
	if err := e.program.Send(ctx, c.session); err != nil {
		return err
	}
	slots := max(1, e.program.Slots())
	if err := c.session.Set(ctx, map[string]string{
		// Rows that Spark moves for its own joins go over all slots, once.
		"spark.sql.shuffle.partitions": strconv.Itoa(slots),
		// Tasks list more than 32 files, one task for each file if need be.
		"spark.sql.sources.parallelPartitionDiscovery.parallelism": strconv.Itoa(4 * slots),
	}); err != nil {
		return err
	}
	e.mu.Lock()
	values := maps.Clone(e.values)
	e.mu.Unlock()
	c.has = make(map[engine.BroadcastID]bool, len(values))
	for id, value := range values {
		if err := c.send(ctx, id, value, nil); err != nil {
			return err
		}
		c.has[id] = true
	}
	c.sent.Store(0)
	c.count.Store(0)
	c.jars.Store(0)
	var err error
	c.heartbeat, err = newHeartbeat(ctx, c)
	return err
}

func (c *carrier) use() *carrier {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users++
	return c
}

// release gives the carrier back. The last user of a retired carrier ends it.
func (c *carrier) release() {
	c.mu.Lock()
	c.users--
	over := c.retired && c.users == 0
	c.mu.Unlock()
	if over {
		c.end()
	}
}

// retire ends the carrier after its last user.
func (c *carrier) retire() {
	c.mu.Lock()
	c.retired = true
	over := c.users == 0
	c.mu.Unlock()
	if over {
		c.end()
	}
}

// sweepTime is how long Close waits for the executors to remove the session's files. If all slots are taken, the
// files stay.
const sweepTime = 3 * time.Second

// sweep makes the executors remove the session's files, which no task needs any more.
func (c *carrier) sweep() {
	ctx, cancel := context.WithTimeout(context.Background(), sweepTime)
	defer cancel()
	if c.answers(ctx) != nil {
		return
	}
	slots := max(1, c.engine.slots)
	// Each of Spark's partitions needs rows, or Spark would start no process for it.
	err := c.session.Collect(ctx, connect.SQL(fmt.Sprintf("SELECT TRANSFORM(id) USING '%s' AS (line STRING) FROM "+
		"range(0, %d, 1, %d)",
		c.engine.program.Sweep(c.mark), slots, slots)), connect.Run{Timeout: sweepTime},
		func(*arrow.Batch) error { return nil })
	c.left("a session's files on executors", err)
}

func (c *carrier) end() {
	c.heartbeat.end()
	c.err = c.session.Close(context.Background())
	c.engine.mu.Lock()
	c.engine.released.session(c.mark)
	c.engine.mu.Unlock()
	close(c.ended)
}
