package checkpoint

import (
	"context"
	"time"

	"github.com/dl4go/dl4go/internal/lease"
)

var (
	// ErrInUse says that a live run uses the directory.
	ErrInUse = lease.ErrInUse
	// ErrLost says that another run has taken the directory over.
	ErrLost = lease.ErrLost
)

// DefaultPeriod is the default of Options.Period.
const DefaultPeriod = lease.DefaultPeriod

// Options say how a run claims its directory.
type Options struct {
	// Period is the time after which a silent run on another machine loses a directory on S3 or HDFS; 0 is
	// DefaultPeriod. A directory on this machine's disk is free as soon as its run has ended.
	Period time.Duration
	// Waiting, unless nil, is called if it is not known whether the last run is alive. Finding out takes at most the
	// given time.
	Waiting func(owner Owner, most time.Duration)
}

func (o Options) lease(after int64) lease.Options {
	l := lease.Options{Period: o.Period, After: after}
	if o.Waiting != nil {
		l.Waiting = func(owner lease.Owner, most time.Duration) {
			o.Waiting(Owner{Host: owner.Host, Process: owner.Process, Since: owner.Since}, most)
		}
	}
	return l
}

// Owner is a run that has a directory.
type Owner struct {
	Host    string // empty: unknown
	Process int
	Since   time.Time // by its own clock
}

// String describes the run in words.
func (o Owner) String() string {
	return lease.Owner{Host: o.Host, Process: o.Process, Since: o.Since}.String()
}

// Verify fails with ErrLost if another run has the directory now, and with other errors if that can't be found out.
// Any goroutine may call it.
func (d *Directory) Verify(ctx context.Context) error { return d.lease.Verify(ctx) }

// Lost returns a channel that is closed when another run is found to have the directory. It is nil for a directory on
// this machine's disk, which can't be lost.
func (d *Directory) Lost() <-chan struct{} { return d.lease.Lost() }
