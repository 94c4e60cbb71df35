// Package spark is the engine sc://host:port: a Spark cluster, through Spark Connect. Package dl4go imports it, so that
// [engine.Open] knows the master strings sc://…. The program must call [engine.Main] first in its main function, and a
// test in TestMain. Otherwise the engine does not open.
//
// The file of this program goes to the cluster as an artifact. Spark's tasks run it as a worker, through SQL's
// TRANSFORM. It speaks the protocol of package worker, with a line of text for each record. A data set is a query for
// such lines (see table). Every partition begins with a header, so it starts a worker even if it has no rows. The
// output of a worker ends with a commit, which the next worker or the driver verifies.
//
// The failure of an operation is a record of the output, too, and the driver asks again for the partitions that failed.
// Spark's own attempts at a task are therefore left for workers that die.
package spark

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/deploy"
	"github.com/dl4go/dl4go/internal/spark/endpoint"
	"github.com/dl4go/dl4go/internal/worker"
)

func init() {
	engine.RegisterScheme(engine.Scheme{
		Name:   "sc",
		Forms:  "sc://host:port (a Spark Connect server), sc (the one that SPARK_REMOTE names)",
		Remote: true,
		Open: func(ctx context.Context, master string, o engine.Options) (engine.Engine, error) {
			e, err := Open(ctx, master, o)
			if err != nil {
				return nil, err
			}
			return e, nil
		},
	})
}

// settings of the sessions. Partitions must stay as they are.
var settings = map[string]string{
	"spark.sql.adaptive.enabled":                   "false",
	"spark.sql.execution.arrow.compression.codec":  "none",
	"spark.sql.inMemoryColumnarStorage.compressed": "false",
	"spark.sql.inMemoryColumnarStorage.batchSize":  "256",
	"spark.sql.chunkBase64String.enabled":          "false",
	factoryMode:                                    interpreting, // but for queries with many rows
	// Java's compiler does not compile methods of more than 8000 bytes. With this setting, Spark makes smaller ones.
	"spark.sql.codegen.hugeMethodLimit":                   "8000",
	"spark.sql.parquet.columnarReaderBatchSize":           "64", // rows, which may be of 1.4 MB
	"spark.sql.scriptTransformation.exitTimeoutInSeconds": "10",
	// If a cluster has these turned on, an unreadable file looks empty.
	"spark.sql.files.ignoreCorruptFiles": "false",
	"spark.sql.files.ignoreMissingFiles": "false",
	// Otherwise Spark clones the session whenever it keeps a relation (CacheManager.getOrCloneSessionWithConfigsOff),
	// with a copy of all artifacts. That fails if an artifact comes meanwhile.
	"spark.sql.sources.bucketing.autoBucketedScan.enabled":   "false",
	"spark.sql.adaptive.applyFinalStageShuffleOptimizations": "false",
}

var errClosed = errors.New("the engine was closed")

// Engine is a Spark cluster in use.
type Engine struct {
	*cluster    // the server, the settings, and whether the engine is open
	*valueStore // values that went to the cluster
	*wants      // jobs that are wanted
	*sessions   // the current session
	*tables     // of data sets that Spark keeps
	*listings   // of files
	*exports    // of saved data
}

// newEngine makes an engine that has no session yet.
func newEngine(c *cluster) *Engine {
	values := &valueStore{cluster: c, values: make(map[engine.BroadcastID][]byte),
		sums: make(map[engine.BroadcastID]worker.Sum)}
	w := &wants{cluster: c, wanted: make(map[string]bool)}
	s := &sessions{cluster: c, valueStore: values, wants: w}
	return &Engine{cluster: c, valueStore: values, wants: w, sessions: s, tables: newTables(s),
		listings: newListings(c), exports: &exports{sessions: s, saved: make(map[string]*saving)}}
}

// Open opens the engine on the server that a master string names: sc://host:port/;key=value…, or just sc for the server
// that the variable SPARK_REMOTE names.
func Open(ctx context.Context, master string, o engine.Options) (*Engine, error) {
	a, c, err := endpoint.Named(master, o)
	if err != nil {
		return nil, err
	}
	if !engine.MainCalled() {
		return nil, fmt.Errorf("%s: %w", a, engine.ErrNoMain)
	}
	o = o.WithDefaults()
	if o.Threads == 0 {
		o.Threads = 1
	}
	if c.Log == nil {
		c.Log = o.Log
	}
	program, err := deploy.New(deploy.Options{Binaries: o.WorkerBinaries, Files: o.WorkerFiles, Log: o.Log})
	if err != nil {
		return nil, err
	}
	e := newEngine(newCluster(a, o, c, program))
	first, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer first.release()
	e.slots = program.Slots()
	if host, err := os.Hostname(); err == nil {
		e.here = program.OnlyOn(host)
	}
	e.jobs.Add(1)
	go e.staySeen()
	return e, nil
}

// Close ends running jobs and the sessions, and drops kept data.
func (e *Engine) Close() error {
	e.mu.Lock()
	closed := context.Cause(e.base) != nil
	e.end(errClosed)
	e.mu.Unlock()
	if closed {
		return nil
	}
	e.jobs.Wait()
	e.mu.Lock()
	kept, last := slices.Collect(maps.Values(e.kept)), e.carrier
	e.mu.Unlock()
	e.forget(kept...)
	e.mu.Lock()
	e.carrier = nil
	e.mu.Unlock()
	last.sweep()
	last.retire()
	<-last.ended
	return last.err
}
