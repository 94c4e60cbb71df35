// Package enginetest is the test suite for engines. The tests of each engine call Run. The package registers its
// operations, so that the workers of an engine have them.
package enginetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/campaign"
)

// Run tests engines that openWith opens with the given options, at least two slots, and four attempts per task. Each
// test opens its own engine. Workers must see the machine's temporary directory.
func Run(t *testing.T, openWith func(t *testing.T, o engine.Options) engine.Engine) {
	for _, test := range tests() {
		t.Run(test.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			e := openWith(t, engine.Options{})
			test.on(t, e, openWith)
			closed(t, e)
			await.Goroutines(t, before)
		})
	}
}

// RunTogether is Run for an engine that opens slowly. The tests that can share an engine do, and run in parallel.
func RunTogether(t *testing.T, openWith func(t *testing.T, o engine.Options) engine.Engine) {
	before := runtime.NumGoroutine()
	t.Run("Engines", func(t *testing.T) {
		shared := openWith(t, engine.Options{})
		t.Run("Shared", func(t *testing.T) {
			for _, test := range tests() {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					e := shared
					if test.closes {
						e = openWith(t, engine.Options{})
						defer closed(t, e)
					}
					test.on(t, e, openWith)
				})
			}
		})
		closed(t, shared)
	})
	await.Goroutines(t, before)
}

// closed checks that an engine can be closed twice.
func closed(t *testing.T, e engine.Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Errorf("closing the engine: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("closing the engine twice: %v", err)
	}
}

type test struct {
	name   string
	run    func(s *suite)
	closes bool // whether the test closes the engine
}

func tests() []test {
	return []test{
		{name: "Rows", run: rowsArrive},
		{name: "Map", run: mapPartitions},
		{name: "ReadingStopsEarly", run: stopsEarly},
		{name: "Files", run: files},
		{name: "Save", run: save},
		{name: "Index", run: index},
		{name: "IndexOfChangedPartition", run: indexOfChanged},
		{name: "Exchange", run: exchange},
		{name: "ExchangeRefusesIndices", run: exchangeRefuses},
		{name: "Select", run: selectPartitions},
		{name: "Reduce", run: reduce},
		{name: "Broadcast", run: broadcast},
		{name: "Cached", run: cached, closes: true},
		{name: "Shared", run: shared, closes: true},
		{name: "Persist", run: persist},
		{name: "PersistedExchange", run: persistedExchange},
		{name: "ErrorNamesPartition", run: errorNamesPartition},
		{name: "PermanentError", run: permanentError},
		{name: "TypedError", run: typedError},
		{name: "SwallowedError", run: swallowedError},
		{name: "Panic", run: userPanic},
		{name: "TransientFailure", run: transientFailure},
		{name: "OutputOfFailedAttempt", run: outputOfFailedAttempt},
		{name: "Cancel", run: cancel},
		{name: "ErrorOfReceiver", run: errorOfReceiver},
		{name: "TwoJobs", run: twoJobs},
		{name: "TwoEngines", run: twoEngines},
		{name: "UnusableDataset", run: unusable},
		{name: "Resident", run: residentTasks},
	}
}

// on runs the test with an engine.
func (test test) on(t *testing.T, e engine.Engine, openWith func(t *testing.T, o engine.Options) engine.Engine) {
	open := func(t *testing.T) engine.Engine { return openWith(t, engine.Options{}) }
	test.run(&suite{T: t, engine: e, ctx: await.Context(t), open: open, openWith: openWith, dir: t.TempDir(),
		again: campaign.Count(1, 2, 2)})
}

type suite struct {
	*testing.T
	engine engine.Engine
	ctx    context.Context
	open   func(t *testing.T) engine.Engine
	// openWith opens an engine for one test.
	openWith func(t *testing.T, o engine.Options) engine.Engine
	dir      string
	again    int // how often expect evaluates a data set again
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// partitions returns a data set whose partitions have these sizes. Each row holds its number.
func (s *suite) partitions(sizes ...int) *engine.Dataset {
	var parts [][]engine.Row
	n := 0
	for _, size := range sizes {
		rows := make([]engine.Row, size)
		for i := range rows {
			rows[i] = engine.Unindexed(number(n))
			n++
		}
		parts = append(parts, rows)
	}
	return engine.Parallelize(s.engine, parts)
}

func number(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// random returns partitions of these sizes, whose rows have random bytes and fewer than limit of them.
func (s *suite) random(seed uint64, limit int, sizes ...int) [][]engine.Row {
	r := rand.New(rand.NewPCG(seed, 0))
	var parts [][]engine.Row
	for _, size := range sizes {
		rows := make([]engine.Row, size)
		for i := range rows {
			b := make([]byte, r.IntN(limit))
			for k := range b {
				b[k] = byte(r.Uint32())
			}
			rows[i] = engine.Row{Index: r.Int64(), Bytes: b}
		}
		parts = append(parts, rows)
	}
	return parts
}

// expect checks that d has exactly these rows in these partitions, and that evaluating it again gives the same commits.
func (s *suite) expect(d *engine.Dataset, want [][]engine.Row) {
	s.Helper()
	if d.Partitions() != len(want) {
		s.Fatalf("%d partitions, wanted %d", d.Partitions(), len(want))
	}
	got := s.collect(d)
	commits := make([]engine.Commit, len(want))
	for p := range want {
		if len(got[p]) != len(want[p]) {
			s.Fatalf("partition %d has %d rows, wanted %d", p, len(got[p]), len(want[p]))
		}
		commits[p].Partition = p
		for i, row := range want[p] {
			if g := got[p][i]; g.Index != row.Index || !bytes.Equal(g.Bytes, row.Bytes) {
				s.Fatalf("partition %d, row %d: index %d, %d bytes; wanted index %d, %d bytes, or these bytes differ",
					p, i, g.Index, len(g.Bytes), row.Index, len(row.Bytes))
			}
			commits[p].Add(row)
		}
	}
	for range s.again {
		got, err := d.Commits(s.ctx)
		s.must(err)
		if !slices.EqualFunc(got, commits, engine.Commit.Same) {
			s.Fatalf("evaluated again, the commits are %v, wanted %v", got, commits)
		}
	}
}

func (s *suite) collect(d *engine.Dataset) [][]engine.Row {
	s.Helper()
	got := make([][]engine.Row, d.Partitions())
	last := 0
	s.must(d.Collect(s.ctx, func(p int, row engine.Row) error {
		if p < last {
			return fmt.Errorf("a row of partition %d comes after one of partition %d", p, last)
		}
		last = p
		got[p] = append(got[p], row)
		return nil
	}))
	return got
}

// numbers reads the rows of a data set that partitions made.
func numbers(parts [][]engine.Row) [][]int {
	all := make([][]int, len(parts))
	for p, rows := range parts {
		for _, row := range rows {
			all[p] = append(all[p], int(binary.LittleEndian.Uint32(row.Bytes)))
		}
	}
	return all
}

// mark leaves a mark of an operation in a directory. marks counts the marks of all processes.
func mark(dir string) error {
	f, err := os.CreateTemp(dir, "mark-")
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *suite) marks() int {
	s.Helper()
	entries, err := os.ReadDir(s.dir)
	s.must(err)
	return len(entries)
}
