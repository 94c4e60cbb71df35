package stats

import (
	"slices"
	"testing"
	"time"
)

func TestRecordsOneBehindTheOther(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 891234567, time.UTC)
	event := func(p Phase, worker string, ms int, took time.Duration, examples int) Event {
		return Event{p, worker, at.Add(time.Duration(ms) * time.Millisecond), took, examples}
	}
	parts := [][]Event{
		{event(WorkerTotal, "partition 0", 0, time.Second, 640), event(WorkerFit, "partition 0", -3, 1234567, 64),
			event(MasterExport, "master", 9, 0, 0)},
		nil,
		{event(WorkerFit, "partition 1", 5, time.Hour, 64), event(WorkerFit, "partition 0", 6, 1, 1<<31-1)},
	}
	var all Record
	for _, events := range parts {
		all = append(all, NewRecord(events)...)
	}
	got, err := all.Events()
	want := slices.Concat(parts...)
	same := func(a, b Event) bool {
		return a.Start.Equal(b.Start) && a.Phase == b.Phase && a.Worker == b.Worker && a.Duration == b.Duration &&
			a.Examples == b.Examples
	}
	if err != nil || !slices.EqualFunc(got, want, same) {
		t.Fatalf("%v\n%v\nwant\n%v", err, got, want)
	}
	for n := range all { // a cut-off record is an error, or ends at the end of a run
		if got, err := all[:n].Events(); err == nil && len(got) != 0 && len(got) != 2 && len(got) != 3 && len(got) != 4 {
			t.Errorf("%d of %d bytes gave %v", n, len(all), got)
		}
	}
	for i := range all { // no other byte leads to a panic
		broken := slices.Clone(all)
		broken[i] ^= 0xff
		broken.Events()
	}
}

// BenchmarkEvents measures the cost of an event from its timing by a worker to its arrival at the master: nanoseconds
// per event of a round of parameter averaging with five minibatches, which has about 20 events and trains for some ten
// milliseconds.
func BenchmarkEvents(b *testing.B) {
	const round = 20
	for b.Loop() {
		worker, master := New("partition 1"), New("master")
		for range round {
			worker.Begin(WorkerFit)(64)
		}
		if err := master.AddRecord(worker.Record()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/round, "ns/event")
}
