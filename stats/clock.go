package stats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"
)

// The defaults and limits of a TimeSource.
const (
	DefaultFrequency = 30 * time.Minute
	LeastFrequency   = 30 * time.Second
	DefaultTimeout   = 3 * time.Second
)

// tries is the number of requests to a server within the timeout.
const tries = 3

// TimeSource selects the clock for the starts of events, so that those of several machines can be compared. The zero
// value is each machine's own clock (Deeplearning4j: SystemClockTimeSource). With a Server, it is the machine's clock
// corrected by the server's (Deeplearning4j: NTPTimeSource, with these properties; it is the default there, and
// training fails if no server responds). Durations are always measured by each machine's own clock.
type TimeSource struct {
	// Server is a time server, HOST or HOST:PORT, that supports NTP over UDP. The default port is 123.
	Server string
	// Frequency is the time between requests to the server: 30 minutes by default, at least 30 seconds.
	Frequency time.Duration
	// Timeout is the time limit for a response, of up to three requests together: 3 seconds by default.
	Timeout time.Duration
}

// Validate checks the settings.
func (s TimeSource) Validate() error {
	if s.Server == "" {
		if s != (TimeSource{}) {
			return errors.New("time source: a frequency or timeout without a server has no effect")
		}
		return nil
	}
	if _, err := s.address(); err != nil {
		return err
	}
	if s.Frequency != 0 && s.Frequency < LeastFrequency {
		return fmt.Errorf("time source: a frequency of %v: time servers are asked every %v at the most",
			s.Frequency, LeastFrequency)
	}
	if s.Timeout < 0 {
		return fmt.Errorf("time source: a timeout of %v", s.Timeout)
	}
	return nil
}

// address returns the server's address with the port.
func (s TimeSource) address() (string, error) {
	host, port, err := net.SplitHostPort(s.Server)
	if err != nil {
		host, port = s.Server, "123"
		if net.ParseIP(host) == nil {
			host, port, err = net.SplitHostPort(s.Server + ":123")
			if err != nil {
				return "", fmt.Errorf("time source: %q is not HOST or HOST:PORT", s.Server)
			}
		}
	}
	if n, err := strconv.Atoi(port); host == "" || err != nil || n < 1 || n > 65535 {
		return "", fmt.Errorf("time source: %q is not HOST or HOST:PORT", s.Server)
	}
	return net.JoinHostPort(host, port), nil
}

// Clock corrects this machine's clock by a TimeSource. Many goroutines may use it. A nil Clock is the machine's own.
type Clock struct {
	source TimeSource
	server string

	mu    sync.Mutex
	asked time.Time     // when the last request began
	busy  chan struct{} // closed when the current request ends; nil if there is none
	by    time.Duration // the correction
	known bool          // by is known
	err   error         // why the last request failed
	told  bool          // err was reported
}

// Start makes a clock, which starts to ask its server. Without a response, it keeps the last correction, or uses the
// machine's own clock, and reports that through Tell. A zero TimeSource returns nil.
func (s TimeSource) Start() (*Clock, error) {
	if err := s.Validate(); err != nil || s.Server == "" {
		return nil, err
	}
	if s.Frequency == 0 {
		s.Frequency = DefaultFrequency
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	c := &Clock{source: s}
	c.server, _ = s.address() // Validate has checked it
	c.peek()
	return c, nil
}

// peek returns the current correction, as far as it is known, and starts a request to the server if it is due.
func (c *Clock) peek() (by time.Duration, known bool) {
	if c == nil {
		return 0, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy == nil && (c.asked.IsZero() || time.Since(c.asked) >= c.source.Frequency) {
		c.asked, c.busy = time.Now(), make(chan struct{})
		go c.refresh(c.busy)
	}
	return c.by, c.known || c.busy == nil
}

// Offset returns the correction to add to this machine's time. It waits for the first response, at most for the
// timeout. If the last request failed, it returns the last correction, or 0, and an *[UnansweredError].
func (c *Clock) Offset() (time.Duration, error) {
	if c == nil {
		return 0, nil
	}
	if _, known := c.peek(); !known {
		c.mu.Lock()
		busy := c.busy
		c.mu.Unlock()
		if busy != nil {
			<-busy
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.by, c.err
}

// Tell logs, once for each failed request, which clock is used instead. It waits as [Clock.Offset] does.
func (c *Clock) Tell(log *slog.Logger) {
	by, err := c.Offset()
	if err == nil {
		return
	}
	c.mu.Lock()
	told, known := c.told, c.known
	c.told = true
	c.mu.Unlock()
	switch {
	case told:
	case known:
		log.Warn(fmt.Sprintf("training statistics: %v; times go on to be corrected by %v, as it said before", err, by))
	default:
		log.Warn(fmt.Sprintf("training statistics: %v; times are by this machine's own clock", err))
	}
}

// refresh asks the server, again if the first attempt fails.
func (c *Clock) refresh(done chan struct{}) {
	by, err := c.measure()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told, c.err = false, nil; err != nil {
		c.err = &UnansweredError{c.source.Server, err}
	} else {
		c.by, c.known = by, true
	}
	c.busy = nil
	close(done)
}

func (c *Clock) measure() (by time.Duration, err error) {
	for range tries {
		ctx, cancel := context.WithTimeout(context.Background(), c.source.Timeout/tries)
		by, err = ask(ctx, c.server)
		cancel()
		var refused *refusedError
		if err == nil || errors.As(err, &refused) {
			return by, err
		}
	}
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		err = fmt.Errorf("no answer in %v", c.source.Timeout)
	}
	return 0, err
}
