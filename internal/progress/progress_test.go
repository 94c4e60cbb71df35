package progress

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestPlainLines(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	b := New(&out, "epoch 1/2", 1000, Options{Now: func() time.Time { return now }})
	b.Add(100, "score 0.5") // within the first 5 s: nothing
	now = now.Add(10 * time.Second)
	b.Add(400, "score 0.4")
	now = now.Add(time.Second)
	b.Add(100, "score 0.3")
	want := "epoch 1/2  50%  50 examples/s  ETA 0:10  score 0.4\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestTasks(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	b := New(&out, "evaluate", 1000, Options{Every: time.Second, Now: func() time.Time { return now }})
	shown := func(after time.Duration, done, total int) bool {
		now = now.Add(after)
		return b.Tasks(done, total)
	}
	if shown(time.Second, 0, 4) || shown(0, 0, 0) || !shown(2*time.Second, 1, 4) || shown(time.Second/2, 2, 4) ||
		!shown(time.Second/2, 1200, 1201) {
		t.Error("shown too early, too often or not at all")
	}
	now = now.Add(time.Second)
	b.Add(500, "score 1")
	if shown(time.Second, 3, 4) || !shown(2*time.Second, 4, 4) {
		t.Error("shown beside what is counted, or not after it")
	}
	now = now.Add(time.Second)
	if !b.Sent(12e6, 250e6) || b.Sent(13e6, 250e6) {
		t.Error("what was sent is shown too often or not at all")
	}
	want := "evaluate  1 of 4 tasks\nevaluate  1,200 of 1,201 tasks\nevaluate  50%  100 examples/s  ETA 0:05  score 1\n" +
		"evaluate  50%  62 examples/s  ETA 0:08  score 1  4 of 4 tasks\n" +
		"evaluate  50%  55 examples/s  ETA 0:09  score 1  12.0 MB of 250.0 MB sent\n"
	if out.String() != want {
		t.Errorf("got %q", out.String())
	}
	if (*Bar)(nil).Tasks(1, 2) || (*Bar)(nil).Sent(1, 2) {
		t.Error("a bar that is none shows something")
	}
}

func TestWhatIsLeft(t *testing.T) {
	now := time.Unix(0, 0)
	b := New(io.Discard, "", 100, Options{Now: func() time.Time { return now }})
	if b.Left() != 0 {
		t.Errorf("%v is left before anything is known", b.Left())
	}
	now = now.Add(2 * time.Second)
	b.Add(20, "")
	if b.Left() != 8*time.Second || b.Rate() != 10 || b.Done() != 20 {
		t.Errorf("left %v at %v a second with %d done", b.Left(), b.Rate(), b.Done())
	}
	b.Add(200, "")
	if b.Left() != 0 {
		t.Errorf("%v is left after more than all", b.Left())
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		Count(1234567): "1,234,567", Count(-1000): "-1,000", Count(12): "12",
		Bytes(999): "999 B", Bytes(1600000): "1.6 MB",
		Duration(7 * time.Second): "0:07", Duration(3723 * time.Second): "1:02:03",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for want, of := range map[string]struct {
		n    int
		what string
	}{"0 workers": {0, "worker"}, "1 class": {1, "class"}, "2 classes": {2, "class"},
		"1,000 minibatches": {1000, "minibatch"},
		"3 complete epochs": {3, "complete epoch"}} {
		if got := Plural(of.n, of.what); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
