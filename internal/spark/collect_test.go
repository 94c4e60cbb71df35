package spark

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

func record(t *testing.T, p int, kind worker.Kind, data any) worker.Record {
	t.Helper()
	b, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return worker.Record{Partition: p, Kind: kind, Seq: 3, Data: b}
}

// TestTally checks that a failure counts, whatever other attempts at the partition returned before or after it.
func TestTally(t *testing.T) {
	two, other := engine.Commit{Rows: 2, Bytes: 9, CRC32C: 7}, engine.Commit{Rows: 2, Bytes: 9, CRC32C: 8}
	fault, worse := worker.Failure{Partition: 0, Cause: "a disk"},
		worker.Failure{Partition: 1, Cause: "NaN", Permanent: true}
	for name, test := range map[string]struct {
		records []worker.Record
		failure string
		differs bool
	}{
		"well": {records: []worker.Record{record(t, 0, worker.Commit, two), record(t, 1, worker.Commit, two)}},
		"twice": {records: []worker.Record{record(t, 0, worker.Commit, two), record(t, 0, worker.Commit, two),
			record(t, 1, worker.Commit, two)}},
		"twice, differing": {records: []worker.Record{record(t, 0, worker.Commit, two),
			record(t, 0, worker.Commit, other)}, differs: true},
		"failed, then well": {records: []worker.Record{record(t, 0, worker.Failed, fault),
			record(t, 0, worker.Commit, two), record(t, 1, worker.Commit, two)}, failure: "a disk"},
		"failed, then both": {records: []worker.Record{record(t, 0, worker.Failed, fault),
			record(t, 0, worker.Commit, two), record(t, 0, worker.Commit, other)}, failure: "a disk"},
		"well, then failed": {records: []worker.Record{record(t, 0, worker.Commit, two),
			record(t, 0, worker.Failed, fault), record(t, 1, worker.Commit, two)}, failure: "a disk"},
		"a permanent failure": {records: []worker.Record{record(t, 0, worker.Failed, fault),
			record(t, 1, worker.Failed, worse)}, failure: "NaN"},
	} {
		tally := newTally(2)
		var err error
		for _, r := range test.records {
			err = errors.Join(err, tally.add(r))
		}
		if test.differs {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var f *worker.Failure
		if err := tally.end(); (err != nil) != (test.failure != "") || errors.As(err, &f) && f.Cause != test.failure {
			t.Errorf("%s: %v, wanted %q", name, err, test.failure)
		}
	}
	tally := newTally(2)
	if err := tally.add(record(t, 1, worker.Commit, two)); err != nil || !tally.whole {
		t.Errorf("%v; whole: %v", err, tally.whole)
	}
	var missing *worker.OutputError
	if err := tally.end(); !errors.As(err, &missing) || missing.Partition != 0 {
		t.Errorf("a partition without a commit: %v", err)
	}
	if err := tally.add(record(t, 2, worker.Commit, two)); !errors.Is(err, worker.ErrForeign) {
		t.Errorf("a partition that does not exist: %v", err)
	}
}

func TestInOrder(t *testing.T) {
	for _, test := range []struct {
		from []int
		want bool
	}{{nil, true}, {[]int{3}, true}, {[]int{0, 2, 5}, true}, {[]int{0, 5, 2}, false}, {[]int{1, 1}, false}} {
		tasks := identity(test.from)
		for i := range tasks {
			tasks[i].output = i
		}
		if got := inOrder(tasks); got != test.want {
			t.Errorf("%v: %v", test.from, got)
		}
	}
}
