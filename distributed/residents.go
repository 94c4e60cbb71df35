package distributed

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// Residents configures the coordinator of resident workers, and how messages reach workers in other processes. With the
// zero value, the workers get the coordinator's address from the driver, and the coordinator sends all messages itself.
type Residents struct {
	// Port is where the coordinator listens; 0 for any free port.
	Port int
	// Mask, such as 10.0.0.0/8, selects the network interface with whose address workers reach the coordinator and each
	// other.
	Mask string
	// Address is the coordinator's address for the workers, a host or HOST:PORT, if they reach it at another one than its
	// own, for example behind address translation.
	Address string
	// Coordinator, if not empty, is the file of keys of a dl4go coordinator, the program that runs the coordinator instead
	// of this process. Port has no effect then, and Mask and Address are for the workers only.
	Coordinator string
	// Mesh lets workers relay the coordinator's messages to each other.
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

// Timing has the time limits of a coordinator and of resident workers. 0 means the default, which each comment names.
type Timing struct {
	Beat      time.Duration // time between two heartbeats: 500 ms
	Quiet     time.Duration // without a heartbeat for this time, others stop waiting for a worker: 2 s
	Silence   time.Duration // without a heartbeat for this time, a worker or its link is lost: 1 min
	Reconnect time.Duration // for a worker to come back after its link broke: 5 s
	Greet     time.Duration // for the first message on a link: 5 s
	Stream    time.Duration // for a worker to relay a message that the coordinator has announced: 2 s
	State     time.Duration // for a worker to hand over its state, before another worker is asked or the fit ends: 10 s
	Redial    time.Duration // between two attempts to reach a machine: 200 ms
	Begin     time.Duration // for the first worker to arrive, while rows are moved to the workers: 2 h
	Join      time.Duration // after that, for the first MinWorkers workers to arrive: 5 min
	Absence   time.Duration // for the worker of a partition, or its replacement, to arrive: 10 min
	Step      time.Duration // for a step, the share of a round, or a report: 10 min; an hour in parameter averaging
	Orphan    time.Duration // for a worker to find its coordinator: 2 min; a quarter of it if nothing listens there
	Stall     time.Duration // without progress for this time, the log names the peer that others wait for: 10 s
}

// DefaultTiming returns the defaults.
func DefaultTiming() Timing { return Timing(coordination.DefaultTiming()) }

// Validate fails if a wait is not positive, or if the waits do not fit together.
func (t Timing) Validate() error { return coordination.Timing(t).Validate() }
