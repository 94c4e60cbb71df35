package distributed

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// Residents configures the coordinator of resident workers, and how messages reach workers in other processes. With the
// zero value, workers find the coordinator themselves, and it sends everything.
type Residents struct {
	// Port is where the coordinator listens; 0 for any free port.
	Port int
	// Mask, such as 10.0.0.0/8, selects the network interface with whose address workers reach the coordinator and each
	// other.
	Mask string
	// Address is where the workers reach the coordinator, a host or HOST:PORT, if that differs from the coordinator's
	// own view.
	Address string
	// Coordinator, if not empty, is the file with the keys of a dl4go coordinator, which has the coordinator instead
	// of this process. Port has no effect then, and Mask and Address are the workers' alone.
	Coordinator string
	// Mesh lets workers pass on the coordinator's messages.
	Mesh bool
}

// Validate checks the settings.
func (r Residents) Validate() error {
	if r.Port < 0 || r.Port > 65535 {
		return fmt.Errorf("the coordinator's port is %d, it must be from 0 to 65535", r.Port)
	}
	if r.Mask != "" {
		if _, err := netip.ParsePrefix(r.Mask); err != nil {
			return fmt.Errorf("the workers' network is %q, it must be an address and a length, as 10.0.0.0/8", r.Mask)
		}
	}
	return nil
}

// Timing holds the limits of all waits of a coordinator and resident workers. Zero means the defaults, which are given
// here.
type Timing struct {
	Beat      time.Duration // between two heartbeats: 500 ms
	Quiet     time.Duration // without one, the others stop waiting for a worker: 2 s
	Silence   time.Duration // without one, a worker is dead, or its coordinator's link is: 1 min
	Reconnect time.Duration // for a worker whose link broke to come back: 5 s
	Greet     time.Duration // for the first message on a link: 5 s
	Stream    time.Duration // for a parent to relay what the coordinator has announced: 2 s
	State     time.Duration // for a worker to hand over its state, before another one is asked, or a fit ends: 10 s
	Redial    time.Duration // between two attempts to reach a machine: 200 ms
	Begin     time.Duration // for the very first worker to come, while rows are moved to where workers will be: 2 h
	Join      time.Duration // then, for the first MinWorkers workers to come: 5 min
	Absence   time.Duration // for a partition's worker, or its replacement, to come: 10 min
	Step      time.Duration // for a step, the share of a round, or a report: 10 min; an hour in parameter averaging
	Orphan    time.Duration // for a worker to find its coordinator: 2 min; a quarter of it if nothing listens there
	Stall     time.Duration // without progress before the log names the peer that is waited for: 10 s
}

// DefaultTiming returns the defaults.
func DefaultTiming() Timing { return Timing(coordination.DefaultTiming()) }

// Validate fails if a wait is not positive, or if the waits do not fit together.
func (t Timing) Validate() error { return coordination.Timing(t).Validate() }
