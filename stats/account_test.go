package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/near"
)

// TestAccount: each moment counts for the activity nearest to training, and the parts add up to the total.
func TestAccount(t *testing.T) {
	begin := time.Unix(1e9, 0)
	at := func(p Phase, worker string, from, to int) Event {
		return Event{p, worker, begin.Add(time.Duration(from) * time.Second), time.Duration(to-from) * time.Second, 0}
	}
	a := AccountFor([]Event{
		at(MasterFit, "master", 0, 50), at(MasterExport, "master", 1, 5), at(MasterProbe, "master", 5, 6),
		at(MasterBroadcast, "master", 6, 8),
		at(MasterAggregate, "master", 8, 40), at(WorkerTotal, "partition 0", 20, 38), at(WorkerTotal, "partition 1", 22, 34),
		at(WorkerInitialModel, "partition 0", 20, 24), at(WorkerFit, "partition 0", 24, 30),
		at(WorkerFit, "partition 1", 26, 34),
		at(WorkerDataSet, "partition 0", 30, 36), at(MasterFit, "master", 60, 70), at("of another time", "master", 80, 90),
	})
	want := map[string]int{"not timed": 1 + 10 + 10, "export": 4, "probe": 1, "broadcast": 2,
		"waiting for workers": 12 + 2, "workers get the model": 4,
		"workers fit": 10, "workers get examples": 2, "workers exchange": 2, "between fits": 10}
	for _, p := range a.Parts {
		if p.Time != time.Duration(want[p.Name])*time.Second || !near.Equal(p.Share, p.Time.Seconds()/70, 1e-12, 0) {
			t.Errorf("%s: %v, %v; not %d s", p.Name, p.Time, p.Share, want[p.Name])
		}
		delete(want, p.Name)
	}
	if len(want) > 0 || a.Whole != 70*time.Second || a.Workers != 2 || a.AtOnce != 1.4 {
		t.Errorf("%+v; missing: %v", a, want)
	}
	if s := a.String(); !strings.HasPrefix(s,
		"70.0 s: not timed 30 %, waiting for workers 20 %, workers fit 14 %, between fits 14 % (evaluation, saving), ") ||
		!strings.HasSuffix(s,
			"; while workers fitted, 1.4 of 2 did at once on average: partition 1 longest, 8.00 s in all, partition 0 "+
				"shortest, 6.00 s") {
		t.Error(s)
	}
	var page strings.Builder
	a.write(&page)
	for part, ink := range map[string]string{"between fits": "background:var(--grid);color:var(--ink)",
		"waiting for workers": "background:var(--p7)"} {
		if !strings.Contains(page.String(), ink+`" title="`+part+":") {
			t.Errorf("%s cannot be read in its part of the bar:\n%s", part, page.String())
		}
	}
	if a := AccountFor(nil); len(a.Parts) != 0 || a.Whole != 0 {
		t.Errorf("of no events: %+v", a)
	}
}

// TestAccountAddsUp compares accounts of random events with a count of single moments.
func TestAccountAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	begin := time.Unix(1e9, 0)
	for range 50 {
		var events []Event
		first, last := math.MaxInt, 0
		for range 1 + r.IntN(30) {
			from, long := r.IntN(100), r.IntN(20)
			events = append(events, Event{Phases[r.IntN(len(Phases))], "w", begin.Add(time.Duration(from)),
				time.Duration(long), 0})
			first, last = min(first, from), max(last, from+long)
		}
		want := map[string]time.Duration{}
		for moment := first; moment < last; moment++ {
			name := "between fits"
			now := begin.Add(time.Duration(moment))
		search:
			for _, a := range activities {
				for _, p := range a.phases {
					for _, e := range events {
						if e.Phase == p && !now.Before(e.Start) && now.Before(e.Start.Add(e.Duration)) {
							name = a.name
							break search
						}
					}
				}
			}
			want[name]++
		}
		a := AccountFor(events)
		for _, p := range a.Parts {
			if want[p.Name] != p.Time {
				t.Fatalf("%s: %d moments, not %d", p.Name, p.Time, want[p.Name])
			}
			delete(want, p.Name)
		}
		if len(want) > 0 || a.Whole != time.Duration(last-first) {
			t.Fatalf("%+v; missing: %v", a, want)
		}
	}
	for _, p := range Phases {
		found := 0
		for _, a := range activities {
			for _, q := range a.phases {
				if p == q {
					found++
				}
			}
		}
		if found != 1 {
			t.Errorf("%s is in %d activities", p, found)
		}
	}
}
