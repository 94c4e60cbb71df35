package train

import (
	"time"

	"github.com/dl4go/dl4go/internal/checkpoint"
)

var (
	// ErrInUse says that another live run uses the directory of the checkpoints.
	ErrInUse = checkpoint.ErrInUse
	// ErrLost says that another run has taken the directory over.
	ErrLost = checkpoint.ErrLost
	// ErrExists says that the directory for a new run has the checkpoints of another one.
	ErrExists = checkpoint.ErrExists
	// ErrNoCheckpoint says that the directory of a run to be resumed has no checkpoint. If there are checkpoints that
	// can't be read, the error is another one.
	ErrNoCheckpoint = checkpoint.ErrNone
)

// DefaultPeriod is the default of Claim.Period.
const DefaultPeriod = checkpoint.DefaultPeriod

// Claim says how a run claims the directory of its checkpoints, which only one run may use at a time.
type Claim struct {
	// Period is the time after which a silent run on another machine loses a directory on S3 or HDFS; 0 is
	// DefaultPeriod. A directory on this machine's disk is free as soon as its run has ended.
	Period time.Duration
	// Waiting, unless nil, is called if it is not known whether the directory's last run is alive. Finding out takes at
	// most the time most.
	Waiting func(owner Owner, most time.Duration)
}

// Owner is the run that has a directory: see [Claim].
type Owner struct {
	Host    string // empty: unknown
	Process int
	Since   time.Time // by its own clock
}

// String describes the run in words.
func (o Owner) String() string { return checkpoint.Owner(o).String() }

func (c Claim) options() checkpoint.Options {
	o := checkpoint.Options{Period: c.Period}
	if c.Waiting != nil {
		o.Waiting = func(owner checkpoint.Owner, most time.Duration) { c.Waiting(Owner(owner), most) }
	}
	return o
}
