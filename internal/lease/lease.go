// Package lease says whose a directory is, and whether that run lives: on this machine's disk by a lock, which ends
// with its process, and on S3 or HDFS by a file that its owner keeps alive. Checkpoints are one run's at a time by it,
// and what a run exports is its own.
package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// Lease is the right of one run to a directory. Its methods may be called by many goroutines at once.
type Lease interface {
	// Token is higher than those of the directory's leases before. What a file's name begins with it, no later owner
	// overwrites, nor is overwritten by one that has lost the directory without knowing it yet.
	Token() int64
	// Verify fails with ErrLost if another run has the directory now, and with other errors where that can't be found out.
	Verify(ctx context.Context) error
	// Lost is closed when another run is found to have the directory. A lock can't be lost: nil.
	Lost() <-chan struct{}
	// Release lets another run have the directory at once. Where the context has ended, it tries for a short time.
	Release(ctx context.Context) error
	// Remove is Release where nobody else wants the directory: nothing stays in it of leases.
	Remove(ctx context.Context) error
}

var (
	// ErrInUse: another run has the directory, and is alive.
	ErrInUse = errors.New("another run is using the directory")
	// ErrLost: another run has taken the directory over.
	ErrLost = errors.New("another run has taken the directory over")
)

// DefaultPeriod is Options.Period if that is 0.
const DefaultPeriod = time.Minute

// Options say what kind of a lease is wanted.
type Options struct {
	// After is a number that the token is to be higher than.
	After int64
	// Period is for how long an owner may give no sign of life until another run takes its directory; DefaultPeriod if it
	// is 0. It gives four signs in that time. A lock on this machine's disk has no use for it.
	Period time.Duration
	// New says that the directory was just made, under a name that nobody else has: there is no one to be told apart from.
	New bool
	// Waiting, unless nil, is called while it is not known whether an owner is alive, with how long that may take.
	Waiting func(Owner, time.Duration)
}

// Take takes the lease of a directory that is there. A URL's, if its last owner has not released it, it watches until
// there is a sign of life, which is ErrInUse, or has been none for the owner's period: then that run has died. One that
// has died on this machine is not waited for, where the system is Linux. Clocks of different machines are not compared.
// Of several that wait at once, one gets it. The context ends the waiting, and not the lease.
func Take(ctx context.Context, dir string, o Options) (Lease, error) {
	if o.Period < 0 {
		return nil, fmt.Errorf("a lease of %v: it must be more than 0", o.Period)
	}
	if o.Period == 0 {
		o.Period = DefaultPeriod
	}
	if !storage.IsURL(dir) {
		l, err := lock(dir, o)
		if !errors.Is(err, errors.ErrUnsupported) {
			return l, err
		}
	}
	l, err := watch(ctx, dir, o)
	if err != nil {
		return nil, err // and not a nil *watched
	}
	return l, nil
}
