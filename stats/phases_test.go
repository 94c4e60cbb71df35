package stats

import (
	"testing"
	"time"
)

func TestSummarize(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	events := []Event{{Phase: MasterFit, Worker: "master", Duration: ms(400)},
		{Phase: MasterSplit, Worker: "master", Duration: ms(100)},
		{Phase: WorkerTotal, Worker: "a", Duration: ms(300)}, {Phase: WorkerTotal, Worker: "b", Duration: ms(500)}}
	for i := range 100 {
		events = append(events, Event{Phase: WorkerFit, Worker: "a", Duration: ms((i*37)%100 + 1), Examples: 2})
	}
	got := Summarize(events)
	if len(got) != 4 || got[0].Phase != MasterFit || got[1].Phase != MasterSplit || got[2].Phase != WorkerTotal {
		t.Fatalf("summaries %+v", got)
	}
	if got[1].Share != 0.25 || got[2].Share != 1 || got[2].Mean != ms(400) {
		t.Errorf("summaries %+v", got[1:3])
	}
	fit := got[3]
	want := Summary{WorkerFit, 100, ms(5050) / 100, ms(1), ms(100), ms(5050),
		[5]time.Duration{ms(5), ms(25), ms(50), ms(75), ms(95)}, 5050.0 / 800, 200}
	if fit != want {
		t.Errorf("%+v, not %+v", fit, want)
	}
	if WorkerFit.Short() != "worker Fit" || MasterCount.Short() != "master CountRDD" ||
		WorkerTotal.Short() != "worker Total" {
		t.Error("short names are wrong")
	}
}
