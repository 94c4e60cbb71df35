package stats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// ahead is how far the fake server's clock is ahead.
const ahead = 90 * time.Minute

// timeServer responds at a loopback address, which it returns. change modifies a correct response; if it returns nil,
// there is no response. asked counts the requests.
func timeServer(t *testing.T, change func(answer []byte) []byte) (address string, asked *atomic.Int32) {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		c.Close()
		<-done
	})
	asked = &atomic.Int32{}
	go func() {
		defer close(done)
		b := make([]byte, 100)
		for {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			asked.Add(1)
			if n != 48 || b[0] != 0x23 {
				t.Errorf("a request of %d bytes, the first %#x", n, b[0])
			}
			now := timestamp(time.Now().Add(ahead))
			answer := make([]byte, 48)
			answer[0], answer[1] = 0x24, 2
			copy(answer[24:], b[40:48])
			binary.BigEndian.PutUint64(answer[32:], now)
			binary.BigEndian.PutUint64(answer[40:], now)
			if answer = change(answer); answer != nil {
				if _, err := c.WriteTo(answer, from); err != nil {
					return
				}
			}
		}
	}()
	return c.LocalAddr().String(), asked
}

func timestamp(t time.Time) uint64 {
	return uint64(t.Unix()+ntpEpoch)<<32 | uint64(t.Nanosecond())<<32/uint64(time.Second)
}

func right(answer []byte) []byte { return answer }

// interval is the time span of an action.
type interval struct{ begin, end time.Time }

// lasting returns an interval that begins now.
func lasting() *interval { return &interval{begin: time.Now()} }

// off reports whether a time differs from the expected one by more than the duration of the interval. More precision
// is not possible, and the result does not depend on the speed of the machine. The wall clock may be adjusted
// meanwhile.
func (s *interval) off(by time.Duration) bool {
	s.end = time.Now()
	return by.Abs() > s.end.Sub(s.begin)+time.Second
}

func TestClockByServer(t *testing.T) {
	server, asked := timeServer(t, right)
	all := lasting()
	clock, err := TimeSource{Server: server, Timeout: time.Minute}.Start()
	if err != nil {
		t.Fatal(err)
	}
	by, err := clock.Offset()
	if err != nil || all.off(by-ahead) {
		t.Fatalf("offset %v, %v", by, err)
	}
	c := NewBy("partition 0", clock)
	before := time.Now()
	c.Begin(WorkerFit)(16)
	c.Add(Event{Phase: WorkerInit, Worker: "partition 1", Start: before})
	e := c.Events()
	if late := e[0].Start.Sub(before); all.off(late-ahead) || all.off(e[0].Duration) {
		t.Errorf("an event is %v late, and took %v", late, e[0].Duration)
	}
	if !e[1].Start.Equal(before) {
		t.Error("another's event was corrected")
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
}

// Events that end before the first answer are corrected too, once.
func TestEventsBeforeTheAnswer(t *testing.T) {
	let := make(chan struct{})
	all := lasting()
	server, _ := timeServer(t, func(a []byte) []byte {
		<-let
		return a
	})
	clock, err := TimeSource{Server: server, Timeout: time.Minute}.Start()
	if err != nil {
		t.Fatal(err)
	}
	c := NewBy("master", clock)
	before := time.Now()
	c.Begin(MasterSplit)(0)
	close(let)
	for range 2 {
		// The response comes later than the request: the delay can't be attributed, and half of it is an error.
		if late := c.Events()[0].Start.Sub(before); all.off(late - ahead) {
			t.Errorf("the event is %v late", late)
		}
	}
}

func TestClockFallsBack(t *testing.T) {
	set := func(at int, b ...byte) func([]byte) []byte {
		return func(a []byte) []byte {
			copy(a[at:], b)
			return a
		}
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		want   string
		asked  int32
	}{
		"silent":    {func([]byte) []byte { return nil }, "no answer in", tries},
		"short":     {func(a []byte) []byte { return a[:47] }, "no answer in", tries},
		"another's": {set(24, 1, 2, 3, 4, 5, 6, 7, 8), "no answer in", tries},
		"a client":  {set(0, 0x23), "mode is 3", tries},
		"kiss of death": {func(a []byte) []byte { return set(12, []byte("RATE")...)(set(1, 0)(a)) },
			`"RATE": ask another`, 1},
		"not set":        {set(0, 0xe4), "not set by any other", tries},
		"stratum 16":     {set(1, 16), "not set by any other", tries},
		"no time":        {set(40, make([]byte, 8)...), "no time", tries},
		"sent too early": {set(40, 1, 0, 0, 0, 0, 0, 0, 0), "held the request", tries},
	} {
		t.Run(name, func(t *testing.T) {
			server, asked := timeServer(t, c.change)
			silent := strings.HasPrefix(c.want, "no answer")
			source := TimeSource{Server: server, Timeout: time.Minute}
			if silent {
				source.Timeout = 150 * time.Millisecond
			}
			clock, err := source.Start()
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			collector := NewBy("master", clock)
			all, before := lasting(), time.Now()
			collector.Begin(MasterFit)(0)
			for range 2 {
				collector.Tell(slog.New(slog.NewTextHandler(&log, nil)))
			}
			by, err := clock.Offset()
			var unanswered *UnansweredError
			if by != 0 || !errors.As(err, &unanswered) || unanswered.Server != server || !strings.Contains(err.Error(), c.want) {
				t.Errorf("offset %v, %v", by, err)
			}
			if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "machine's own clock") {
				t.Errorf("logged %q", log.String())
			}
			if late := collector.Events()[0].Start.Sub(before); all.off(late) {
				t.Errorf("the event is %v late", late)
			}
			if n := asked.Load(); n > c.asked || n < c.asked && !silent { // the last request may still be in transit
				t.Errorf("the server was asked %d times, not %d", n, c.asked)
			}
		})
	}
}

// If a server stops responding, the last offset is kept.
func TestClockKeepsWhatItKnows(t *testing.T) {
	var refuses atomic.Bool
	refuse := make(chan struct{})
	server, asked := timeServer(t, func(a []byte) []byte {
		if refuses.Load() {
			<-refuse
			a[1] = 0
			copy(a[12:], "DENY")
		}
		return a
	})
	clock, err := TimeSource{Server: server, Timeout: time.Minute}.Start()
	if err != nil {
		t.Fatal(err)
	}
	first, err := clock.Offset()
	if err != nil {
		t.Fatal(err)
	}
	refuses.Store(true)
	clock.mu.Lock()
	clock.asked = clock.asked.Add(-DefaultFrequency)
	clock.mu.Unlock()
	clock.peek()
	clock.mu.Lock()
	busy := clock.busy
	clock.mu.Unlock()
	close(refuse)
	if busy == nil {
		t.Fatal("the server was not asked again")
	}
	<-busy
	var log bytes.Buffer
	clock.Tell(slog.New(slog.NewTextHandler(&log, nil)))
	if by, err := clock.Offset(); by != first || err == nil || !strings.Contains(log.String(), "go on to be corrected") {
		t.Errorf("%v, %v; logged %q", by, err, log.String())
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the server was asked %d times", n)
	}
}

func TestTimeSourceValidate(t *testing.T) {
	for server, want := range map[string]string{"pool": "pool:123", "pool:5": "pool:5", "::1": "[::1]:123",
		"[::1]:9": "[::1]:9", "10.0.0.1": "10.0.0.1:123"} {
		if got, err := (TimeSource{Server: server}).address(); got != want || err != nil {
			t.Errorf("%s is %s, %v", server, got, err)
		}
	}
	for _, s := range []TimeSource{{Server: "a:b:c"}, {Server: "a:0"}, {Server: ":123"}, {Server: "a:x"},
		{Server: "a", Frequency: time.Second},
		{Server: "a", Timeout: -1}, {Frequency: time.Hour}, {Timeout: time.Second}} {
		if _, err := s.Start(); err == nil {
			t.Errorf("%+v was taken", s)
		}
	}
	if c, err := (TimeSource{}).Start(); c != nil || err != nil {
		t.Error("the system's clock is not nil")
	}
}

// Timestamps continue after 2036, when their seconds wrap around.
func TestTimestamps(t *testing.T) {
	for _, want := range []time.Time{time.Date(2026, 11, 22, 10, 0, 0, 500_000_000, time.UTC),
		time.Date(2036, 2, 7, 6, 28, 15, 0, time.UTC),
		time.Date(2040, 1, 1, 0, 0, 0, 250_000_000, time.UTC)} {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], timestamp(want))
		if got := ntpTime(b[:]); !got.Equal(want) {
			t.Errorf("%v is read as %v", want, got)
		}
	}
}
