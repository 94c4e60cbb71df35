// Package lease says which run owns a directory, and whether that run is alive. On this machine's disk a lease is a
// lock, which ends with its process. On S3 or HDFS it is a file that its owner keeps renewing. With leases, only one
// run at a time uses a directory of checkpoints, and each run has its own directory for exports.
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
	// Token is higher than the tokens of all earlier leases of the directory. If a file's name begins with the token,
	// no later owner overwrites the file, nor does an earlier owner that has lost the directory without knowing it yet.
	Token() int64
	// Verify fails with ErrLost if another run has the directory now, and with other errors if that can't be
	// determined.
	Verify(ctx context.Context) error
	// Lost is closed when another run is found to have the directory. A lock can't be lost: nil.
	Lost() <-chan struct{}
	// Release lets another run have the directory at once. After the context has ended, it only tries for a short time.
	Release(ctx context.Context) error
	// Remove releases a lease that no other run wants. It also removes the lease's files.
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

// Options are the settings of a lease.
type Options struct {
	// After is a number that the token must exceed.
	After int64
	// Period is how long an owner may be silent before another run takes its directory; DefaultPeriod if it is 0. The
	// owner renews its lease four times in a period. A lock on this machine's disk does not use it.
	Period time.Duration
	// New says that the directory was just made, under a unique name: no other run competes for it.
	New bool
	// Waiting, unless nil, is called when Take must wait to learn whether an owner is alive, with the longest time that
	// takes.
	Waiting func(Owner, time.Duration)
}

// Take takes the lease of an existing directory. If the last owner of a URL's directory has not released it, Take
// watches the directory. If the owner renews its lease, Take fails with ErrInUse. If it has not for the owner's period,
// that run has died. On Linux, Take does not wait for a run that has died on this machine. It does not compare the
// clocks of different machines. If several runs wait at once, one gets the lease. The context ends the waiting, but not
// the lease.
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
		return nil, err // not a nil *watched
	}
	return l, nil
}
