// Package engine spreads work over workers. A [Dataset] consists of rows of bytes in partitions, and is evaluated
// lazily. Operations on rows are registered by name, so that a worker in another process can run them, too: see
// [Register]. Package distributed puts networks and examples on top.
//
// [Open] opens the engine that a master string names: local[N], processes[N] or sc://HOST. A program that imports
// package distributed has the engines local[N] and processes[N]. One that imports package dl4go, at the module's root,
// also has sc://HOST. A program calls [Main] first in its main function.
package engine

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// Engine evaluates data sets. Programs call the methods of [Dataset], which call these. Many goroutines may call the
// methods at once. Jobs of one Engine share its slots; jobs of two Engines share nothing.
//
// An engine may implement more interfaces: [Cleaner], which those of this module do; [TreeLister], to list
// subdirectories; [Tables], if its cluster has tables; [SavedOpener], if it saves rows in another form than one file
// each; and [Located], if it is a cluster that may be on the driver's machine.
type Engine interface {
	// Master returns the master string in its full form: local[2] for local[*] on two cores.
	Master() string
	// Slots returns the number of tasks that run at the same time.
	Slots() int
	// Threads returns the number of threads of each task: Task.Threads.
	Threads() int
	// Persist keeps the partitions of d, at this level, from the next job on that computes them.
	Persist(d *Dataset, level StorageLevel)
	// Unpersist drops the partitions that Persist kept. It is safe while jobs read them.
	Unpersist(d *Dataset)
	// Collect passes the committed rows to each, by partition and in order.
	Collect(ctx context.Context, d *Dataset, each func(partition int, row Row) error) error
	// Commits evaluates d and returns the commit of each partition.
	Commits(ctx context.Context, d *Dataset) ([]Commit, error)
	// Save writes the rows of d, each a File, to storage: see Dataset.Save.
	Save(ctx context.Context, d *Dataset, dir string) (*Saved, error)
	// ListFiles lists the files in dir, at a path for ReadFiles, in the order of their names. It leaves out files in
	// subdirectories, and hidden ones (.name, _name).
	ListFiles(ctx context.Context, dir string) ([]FileInfo, error)
	// Broadcast makes value available to every task. value must not be changed from now on. After an error, nothing is
	// left behind.
	Broadcast(ctx context.Context, value []byte) (Broadcast, error)
	// Close ends running jobs, drops all kept data, and removes temporary files.
	io.Closer
}

// Located is an Engine of a cluster that knows where its workers are.
type Located interface {
	// OnThisMachine reports whether all workers that the engine has seen run on the driver's machine, where time counts
	// and bytes don't. It is false as long as the engine has seen none.
	OnThisMachine() bool
}

// TreeLister is an Engine that can list a directory with its subdirectories.
type TreeLister interface {
	// ListTree lists the files in dir and all directories below it, in the order of their paths, as ListFiles does.
	ListTree(ctx context.Context, dir string) ([]FileInfo, error)
}

// FileInfo is a file found by ListFiles.
type FileInfo struct {
	Path string
	Size int64
}

// Broadcast is a value that every task of its Engine can get by its ID.
type Broadcast interface {
	ID() BroadcastID
	// Release removes the value, and all Cached results built from it, from the workers. Later tasks that ask for it
	// fail. A second Release does nothing.
	Release()
}

// Options are settings of an engine that are not part of the master string. Zero values mean the defaults.
type Options struct {
	// Threads is the number of threads of each task: by default, the processors divided by the slots, at least 1. On a
	// cluster it is 1, and Spark gives a task that many cores.
	Threads int
	// Attempts is how often a task is tried before its job fails: 4 by default. Errors marked Permanent fail at once.
	Attempts int
	// TaskDeadline is how long an attempt may take, 1 h by default. If it takes longer, its job fails. Resident steps
	// have no such deadline.
	TaskDeadline time.Duration
	// StopGrace is how long a job that ends early waits for its running tasks: 10 s by default.
	StopGrace time.Duration
	// StorageMemory bounds the bytes that persisted data sets may hold in memory. 0 is no bound. A cluster has its own
	// settings for that, and for TempDir; Open warns if these are set.
	StorageMemory int64
	// TempDir is where the directory for spilled partitions is made: in the system's temporary directory by default.
	TempDir string
	// Connection has the settings of a connection to a cluster's server that are not part of the master string.
	Connection Connection
	// WorkerBinaries are files of this same program, built from the same source, for workers on other kinds of
	// machines, by system and architecture: "linux/arm64". "file:///PATH" already lies on each worker's machine and is
	// not sent; it may also be for this kind of machine. Engines on this machine ignore them.
	WorkerBinaries map[string]string
	// WorkerFiles are files of this machine that workers on other machines find beside their program, by the same
	// names.
	WorkerFiles []string
	// Progress, if not nil, is called with the progress of jobs, when a task ends or every few seconds. It may be
	// called from several goroutines, and must not block.
	Progress func(Progress)
	// Log receives warnings, retries and the tasks' own lines: slog.Default() by default.
	Log *slog.Logger
}

// WithDefaults fills in the defaults of zero fields, except Threads, which depends on the slots.
func (o Options) WithDefaults() Options {
	if o.Attempts == 0 {
		o.Attempts = 4
	}
	if o.TaskDeadline == 0 {
		o.TaskDeadline = time.Hour
	}
	if o.StopGrace == 0 {
		o.StopGrace = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}
