package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/campaign"
)

// reduce compares results with orders of addition written out by hand.
func reduce(s *suite) {
	letters := func(sizes ...int) *engine.Dataset {
		var parts [][]string
		next := 'a'
		for _, n := range sizes {
			var part []string
			for range n {
				part = append(part, string(next))
				next++
			}
			parts = append(parts, part)
		}
		return engine.Parallelize(s.engine, text(parts...))
	}
	step := join.With(struct{}{})
	for _, c := range []struct {
		sizes []int
		depth int
		want  string
	}{
		{[]int{1}, 2, "a"},
		{[]int{3}, 2, "(abc)"},
		{[]int{0, 1, 0}, 2, "a"},
		{[]int{1, 1}, 2, "(ab)"},
		{[]int{1, 1, 1, 1}, 1, "(abcd)"},
		{[]int{1, 1, 1, 1}, 2, "((ab)(cd))"},
		{[]int{1, 1, 1, 1}, 5, "((ab)(cd))"},
		{[]int{2, 1, 1, 2, 1}, 2, "(((ab)cd)((ef)g))"},
		{[]int{1, 0, 1, 0, 1}, 1, "(abc)"},
		{slices.Repeat([]int{1}, 9), 2, "((abc)(def)(ghi))"},
		{slices.Repeat([]int{1}, 8), 3, "(((ab)(cd))((ef)(gh)))"},
	} {
		for range campaign.Count(1, 2, 2) {
			got, err := letters(c.sizes...).Reduce(s.ctx, step, c.depth)
			if err != nil || string(got) != c.want {
				s.Errorf("partitions %v, depth %d: %s, error %v; wanted %s", c.sizes, c.depth, got, err, c.want)
			}
		}
	}
	if _, err := letters(0, 0, 0).Reduce(s.ctx, step, 2); !errors.Is(err, engine.ErrEmpty) {
		s.Errorf("reducing nothing: %v", err)
	}
	if _, err := letters(1, 1).Reduce(s.ctx, step, 0); err == nil {
		s.Error("a depth of 0 is accepted")
	}
	if _, err := letters(2, 1).Reduce(s.ctx, discard.With(struct{}{}), 1); err == nil {
		s.Error("a step that combines rows to none is accepted")
	}
}

func broadcast(s *suite) {
	value := []byte(strings.Repeat("value\x00", 100000))
	b, err := s.engine.Broadcast(s.ctx, value)
	s.must(err)
	other, err := s.engine.Broadcast(s.ctx, value)
	s.must(err)
	if b.ID() == other.ID() {
		s.Fatal("two broadcasts have one ID")
	}
	d := engine.Parallelize(s.engine, text([]string{"a"}, []string{"b"})).Map(addValue.With(valueConfig{b.ID()}))
	s.expect(d, text([]string{"a" + string(value)}, []string{"b" + string(value)}))
	b.Release()
	b.Release()
	if _, err := d.Count(s.ctx); err == nil {
		s.Error("a broadcast that was released is still there")
	}
	d = engine.Parallelize(s.engine, text([]string{"a"})).Map(addValue.With(valueConfig{other.ID()}))
	s.expect(d, text([]string{"a" + string(value)}))
	other.Release()
}

// cached checks that a cached value is reused, built again after a failure, and closed on release. This must hold for
// any number of workers, whether or not they stay alive.
func cached(s *suite) {
	b, err := s.engine.Broadcast(s.ctx, []byte("v"))
	s.must(err)
	rounds := campaign.Count(10, 20, 20)
	parts := s.partitions(0, 0, 0)
	for range rounds {
		s.expect(parts.Map(build.With(buildConfig{Value: b.ID(), Dir: s.dir})),
			text([]string{"v"}, []string{"v"}, []string{"v"}))
	}
	after := s.marks()
	if after < 1 || after > 2*3*(1+s.again)*rounds {
		s.Errorf("%d marks of building and closing after %d tasks", after, 3*(1+s.again)*rounds)
	}
	fresh, err := s.engine.Broadcast(s.ctx, []byte("w"))
	s.must(err)
	s.expect(s.partitions(0).Map(build.With(buildConfig{fresh.ID(), s.dir, true})), text([]string{"w"}))
	if n := s.marks() - after; n < 3 {
		s.Errorf("%d marks, wanted 3 at least: built, closed after the failure, built again", n)
	}
	fresh.Release()
	b.Release()
	s.must(s.engine.Close())
	if n := s.marks(); n%2 != 0 {
		s.Errorf("%d marks: something that was built is not closed", n)
	}
}

// shared checks that the tasks of a process share a value, also after one of them failed, and that it is closed on
// release.
func shared(s *suite) {
	b, err := s.engine.Broadcast(s.ctx, []byte("v"))
	s.must(err)
	parts := s.partitions(0, 0, 0, 0, 0, 0)
	want := text([]string{"v"}, []string{"v"}, []string{"v"}, []string{"v"}, []string{"v"}, []string{"v"})
	for _, fail := range []bool{false, true} {
		s.expect(parts.Map(buildShared.With(buildConfig{b.ID(), s.dir, fail})), want)
	}
	b.Release()
	s.must(s.engine.Close())
	if n := s.marks(); n < 2 || n%2 != 0 {
		s.Errorf("%d marks: something that was built is not closed", n)
	}
}

func persist(s *suite) {
	want := s.random(5, 200, 300, 0, 40)
	levels := []engine.StorageLevel{engine.MemoryOnly, engine.DiskOnly, "MEMORY_ONLY_2", engine.MemoryOnlySer,
		engine.MemoryAndDisk,
		engine.MemoryAndDiskSer, engine.OffHeap}
	for _, level := range levels[:campaign.Count(3, len(levels), len(levels))] {
		before := s.marks()
		d := engine.Parallelize(s.engine, want).Map(identity.With(markConfig{s.dir})).Persist(level)
		if n := s.marks() - before; n != 0 {
			s.Errorf("%s: persisting has computed %d partitions", level, n)
		}
		s.collect(d.Select(0))
		s.expect(d, want)
		s.expect(d.Map(identity.With(markConfig{})).Index(), withIndex(want))
		if n := s.marks() - before; n != 3 {
			s.Errorf("%s: 3 partitions were computed %d times", level, n)
		}
		d.Unpersist()
		d.Unpersist()
		s.collect(d)
		if n := s.marks() - before; n != 6 {
			s.Errorf("%s: after Unpersist, 3 partitions were computed %d times, wanted 6", level, n)
		}
	}
	before := s.marks()
	d := engine.Parallelize(s.engine, want).Map(identity.With(markConfig{s.dir})).Persist(engine.None)
	s.expect(d, want)
	if n := s.marks() - before; n != 3*(1+s.again) {
		s.Errorf("NONE: %d jobs have computed 3 partitions %d times", 1+s.again, n)
	}
}

func persistedExchange(s *suite) {
	parts := withIndex(s.random(6, 200, 10, 20))
	want := [][]engine.Row{{parts[1][19]}, slices.Concat(parts[0], parts[1][:19])}
	a := engine.Assignment{Order: []int64{29}, Ends: []int{1, 30}}
	for i := range 29 {
		a.Order = append(a.Order, int64(i))
	}
	for _, level := range []engine.StorageLevel{engine.MemoryOnly, engine.MemoryOnlySer, engine.DiskOnly} {
		before := s.marks()
		d := engine.Parallelize(s.engine, parts).Map(identity.With(markConfig{s.dir})).Exchange(a).Persist(level)
		s.expect(d.Select(0), want[:1])
		s.expect(d, want)
		s.expect(d.Select(1), want[1:])
		if n := s.marks() - before; n != 2 {
			s.Errorf("%s: 2 partitions were computed %d times for an exchange", level, n)
		}
		d.Unpersist()
		s.expect(d, want)
	}
}

// failing runs five partitions of which partition 2 misbehaves. It expects the given number of attempts at that one.
func (s *suite) failing(how string, times, attempts int) error {
	s.Helper()
	before := s.marks()
	conf := misbehaveConfig{Partition: 2, Attempts: times, How: how, Dir: s.dir}
	_, err := s.partitions(3, 3, 3, 3, 3).Map(identity.With(markConfig{})).Map(misbehave.With(conf)).Count(s.ctx)
	if n := s.marks() - before; n != attempts {
		s.Errorf("there were %d attempts, wanted %d", n, attempts)
	}
	return err
}

func (s *suite) wantWorkerError(err error, attempt int, step, cause string) {
	s.Helper()
	var w *engine.WorkerError
	if !errors.As(err, &w) {
		s.Fatalf("the error is %v, wanted a WorkerError", err)
	}
	if w.Partition != 2 || w.Attempt != attempt || w.Step != step || w.Worker == "" ||
		!strings.Contains(w.Cause.Error(), cause) {
		s.Errorf("the error is %+v, wanted partition 2, attempt %d, step %s, cause %q", *w, attempt, step, cause)
	}
}

func errorNamesPartition(s *suite) {
	s.wantWorkerError(s.failing("fail", 99, 4), 4, "enginetest.misbehave", "misbehaving in attempt 4")
	s.expect(s.partitions(1).Map(discard.With(struct{}{})), make([][]engine.Row, 1)) // the engine still works
}

func permanentError(s *suite) {
	s.wantWorkerError(s.failing("permanent", 99, 1), 1, "enginetest.misbehave", "misbehaving in attempt 1")
}

// typedError checks that an error of a registered type keeps its type, fields and text.
func typedError(s *suite) {
	err := s.failing("typed", 99, 1)
	s.wantWorkerError(err, 1, "enginetest.misbehave", "wrapped: odd: [misbehaving in attempt 1]")
	var got *odd
	if !errors.As(err, &got) || got.Partition != 2 || !math.IsInf(got.Score, -1) || len(got.Reasons) != 1 ||
		got.Reasons[0] != "misbehaving in attempt 1" {
		s.Errorf("in the error %v is %+v", err, got)
	}
	if err := s.failing("permanent", 99, 1); errors.As(err, &got) {
		s.Errorf("in the error %v is %+v", err, got)
	}
}

func userPanic(s *suite) {
	s.wantWorkerError(s.failing("panic", 99, 4), 4, "enginetest.misbehave", "panic: misbehaving")
}

func swallowedError(s *suite) {
	conf := misbehaveConfig{Partition: 2, Attempts: 99, Dir: s.dir}
	_, err := s.partitions(1, 1, 1).Map(misbehave.With(conf)).Map(swallow.With(struct{}{})).Count(s.ctx)
	s.wantWorkerError(err, 4, "enginetest.misbehave", "misbehaving in attempt 4")
}

func transientFailure(s *suite) {
	s.must(s.failing("fail", 3, 4))
	s.must(s.failing("panic", 1, 2))
}

// outputOfFailedAttempt checks that rows written before a failure count once, persisted or not.
func outputOfFailedAttempt(s *suite) {
	for _, level := range []engine.StorageLevel{engine.None, engine.MemoryOnly, engine.DiskOnly} {
		conf := misbehaveConfig{Partition: 1, Attempts: 2, Dir: s.dir}
		d := s.partitions(3, 3,
			3).Map(misbehave.With(conf)).Map(swallow.With(struct{}{})).Persist(level).Map(identity.With(markConfig{}))
		if got := fmt.Sprint(numbers(s.collect(d))); got != "[[0 1 2] [3 4 5] [6 7 8]]" {
			s.Errorf("%s: %s", level, got)
		}
	}
}

func cancel(s *suite) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		_, err := s.partitions(make([]int, 50)...).Map(untilCancel.With(markConfig{s.dir})).Count(ctx)
		result <- err
	}()
	await.Until(s, "a task on each slot", func() (any, bool) {
		n := s.marks()
		return n, n >= s.engine.Slots()
	})
	cancel()
	if err := await.From(s, "a cancelled job to end", result); !errors.Is(err, context.Canceled) {
		s.Errorf("the error is %v, wanted context.Canceled", err)
	}
	if n := s.marks(); n > s.engine.Slots() {
		s.Errorf("%d tasks were started on %d slots that were never free", n, s.engine.Slots())
	}
	if _, err := s.partitions(1).Count(ctx); !errors.Is(err, context.Canceled) {
		s.Errorf("a job that is cancelled before it begins gives %v", err)
	}
	s.must(s.failing("fail", 0, 1)) // the slots are free again
}

func errorOfReceiver(s *suite) {
	enough := errors.New("enough")
	n := 0
	err := s.partitions(slices.Repeat([]int{10}, 20)...).Collect(s.ctx, func(int, engine.Row) error {
		if n++; n == 15 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 15 {
		s.Errorf("after %d rows: %v", n, err)
	}
}

func twoJobs(s *suite) {
	var jobs sync.WaitGroup
	for k := range 4 {
		jobs.Go(func() {
			value, err := s.engine.Broadcast(s.ctx, []byte{byte('A' + k)})
			if err != nil {
				s.Error(err)
				return
			}
			defer value.Release()
			for i := range 5 {
				d := s.partitions(3, 3, 3).Map(addValue.With(valueConfig{value.ID()})).Persist(engine.MemoryOnly)
				rows, err := d.CollectAll(s.ctx)
				if err != nil || len(rows) != 9 {
					s.Errorf("job %d.%d: %d rows, error %v", k, i, len(rows), err)
				}
				for _, row := range rows {
					if string(row.Bytes[4:]) != string(rune('A'+k)) {
						s.Errorf("job %d.%d has the row %q", k, i, row.Bytes)
					}
				}
				d.Unpersist()
			}
		})
	}
	jobs.Wait()
}

func twoEngines(s *suite) {
	other := s.open(s.T)
	b, err := s.engine.Broadcast(s.ctx, []byte("v"))
	s.must(err)
	_, err = engine.Parallelize(other, text([]string{"a"})).Map(addValue.With(valueConfig{b.ID()})).Count(s.ctx)
	if err == nil {
		s.Error("an engine has another one's broadcast")
	}
	s.must(other.Close())
	if _, err := engine.Parallelize(other, text([]string{"a"})).Count(s.ctx); err == nil {
		s.Error("an engine that was closed still works")
	}
	s.expect(engine.Parallelize(s.engine, text([]string{"a"})), text([]string{"a"}))
}
