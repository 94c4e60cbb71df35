package spark

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// TestRunDirs checks that a run was last seen when its driver last wrote its file beside the rows. Such files don't
// make the rows kept ones.
func TestRunDirs(t *testing.T) {
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	name, kept, other := engine.RunName(old), engine.RunName(old), engine.RunName(old)
	d := make(runDirs)
	for i, file := range []string{name + "/data/part-0.parquet", name + "/dl4go_seen/part-0.txt",
		name + "/dl4go_seen/part-1.txt",
		name + "/data/part-1.parquet", kept + "/data/part-0.parquet", kept + "/dl4go_seen/part-0.txt",
		kept + "/dl4go_kept/part-0.txt",
		other + "/data/x.bin", "elsewhere/x.parquet"} {
		d.add(parsePath("hdfs://nn/exports/"+file), 10, old.Add(time.Duration(i)*time.Hour))
	}
	if len(d) != 3 || !d[kept].kept || !d[other].kept {
		t.Errorf("%+v", d)
	}
	if got, want := d[name], (runFiles{parsePath("hdfs://nn/exports/" + name), 40, old.Add(2 * time.Hour),
		false}); got != want {
		t.Errorf("got %+v, wanted %+v", got, want)
	}
}

// TestEmptyRunDirs checks that directories of runs without any file are found, and no others.
func TestEmptyRunDirs(t *testing.T) {
	base, now := t.TempDir(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	again, here, listed := engine.RunName(now), engine.RunName(now), engine.RunName(now)
	for _, dir := range []string{again + "/data/_temporary/0", here, listed, "other/data"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, here, ".lock"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	d := runDirs{listed: {bytes: 10}}
	d.addEmpty(t.Context(), base)
	want := runDirs{listed: {bytes: 10}, again: {location: parsePath(filepath.Join(base, again))}}
	if !maps.Equal(d, want) {
		t.Errorf("found %v, wanted %v", d, want)
	}
	d.addEmpty(t.Context(), filepath.Join(base, "nothing"))
}

// TestBeatBesideRows checks that the driver's file is added beside the rows, but not to data that is being removed. The
// rest of an interrupted write must be cleaned up.
func TestBeatBesideRows(t *testing.T) {
	f := startFake(t, "s")
	var writes []*protocol.WriteOperation
	begun := make(chan struct{}, 1)
	var hold bool
	f.execute = func(r *protocol.ExecutePlanRequest, send func(*protocol.ExecutePlanResponse) error) error {
		writes = append(writes, r.Plan.GetCommand().GetWriteOperation())
		begun <- struct{}{}
		if hold {
			<-t.Context().Done()
			return t.Context().Err()
		}
		return send(&protocol.ExecutePlanResponse{ResponseType: &protocol.ExecutePlanResponse_ResultComplete_{
			ResultComplete: new(protocol.ExecutePlanResponse_ResultComplete)}})
	}
	c := &carrier{catalogue: catalogue{f.open(t, f.address())}}
	s := &saving{place: "hdfs://nn/exports/run"}
	s.over, s.end = context.WithCancel(t.Context())
	if err := s.live(t.Context(), c, "1234"); err != nil {
		t.Fatal(err)
	}
	<-begun
	w := writes[0]
	if w.GetPath() != s.place+"/dl4go_seen" || w.Mode != protocol.WriteOperation_SAVE_MODE_APPEND ||
		!strings.Contains(w.Input.String(), "1234") || s.broken {
		t.Errorf("written: %v", w)
	}
	hold = true
	ended := make(chan error)
	go func() { ended <- s.live(t.Context(), c, "1235") }()
	<-begun
	s.end()
	if err := <-ended; err != nil || !s.broken {
		t.Errorf("broken off: %v, to be swept: %v", err, s.broken)
	}
	if err := s.live(t.Context(), c, "1236"); err != nil || len(writes) != 2 {
		t.Errorf("what is being removed: %v, %d writes", err, len(writes))
	}
}
