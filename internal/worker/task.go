// Package worker is the worker's side of dl4go's engines, and the protocol between drivers and workers.
//
// A worker process is this same binary, started with the environment variable engine.WorkerVariable. It speaks on its
// standard input and output. The driver, or the table that Spark pipes through, sends records (see Record):
//
//	job     the work on a partition: a Task
//	row …   the rows of the partition, large ones in pieces
//	commit  their number, bytes and checksum, so that a cut input is never taken for a whole one
//
// The worker answers with rows and a commit of its own, or with a failure. Rows without a valid commit never count.
// Then the next job may follow. Standard error has log lines; the last one names the cause of a failure.
//
// Records are framed as text lines for Spark, and as bytes for pipes. Everything else is the same.
package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// Task is the work on one partition.
type Task struct {
	// Partition and Attempt are those of the records. Spark's rows have attempt 0, since queries know of no attempts.
	// Then a worker chooses a random attempt number for its output.
	Partition int `json:"-"`
	Attempt   int `json:"-"`

	Build    string        `json:"build,omitempty"` // Build of the driver; not compared if empty
	Job      string        `json:"job,omitempty"`   // for the log
	Threads  int           `json:"threads"`
	Deadline time.Duration `json:"deadline"` // for the attempt; 0: none
	Grace    time.Duration `json:"grace"`    // after the deadline, before the process ends itself
	// AliveEvery is the time between two Alive records of the worker; 0: none.
	AliveEvery time.Duration `json:"aliveEvery,omitempty"`
	// Number is the operation's attempt number, if the records have another one.
	Number    int             `json:"attempt,omitempty"`
	Answer    bool            `json:"answer,omitempty"`    // every failure is an answer; the process goes on
	LogRows   bool            `json:"logRows,omitempty"`   // log lines are records of the output, not of standard error
	Heartbeat json.RawMessage `json:"heartbeat,omitempty"` // to ask whether the job is wanted; see RegisterHeartbeat
	Attended  bool            `json:"attended,omitempty"`  // the input stays open until the answer is there
	Open      bool            `json:"open,omitempty"`      // the rows come from a table: not numbered, no commit
	// From lists the partitions that make up the rows, each with its header and commit. Open must be set.
	From     []int           `json:"from,omitempty"`
	Output   *int            `json:"output,omitempty"`   // the partition's number in the output, if it differs
	Sum      *engine.Commit  `json:"sum,omitempty"`      // of the rows when they were first computed
	Released json.RawMessage `json:"released,omitempty"` // files that are not needed any more, see RegisterRelease
	Header   bool            `json:"header,omitempty"`   // the output begins with a Job record without data
	Log      slog.Level      `json:"log,omitempty"`
	Links    []Link          `json:"links"`
	Steps    []engine.Step   `json:"steps,omitempty"` // common to several tasks, see JobTexts
	// Broadcasts are files; in a path, * stands for any folder. Sums are for files that may be incomplete.
	Broadcasts map[engine.BroadcastID]string `json:"broadcasts,omitempty"`
	Sums       map[engine.BroadcastID]Sum    `json:"sums,omitempty"`
}

// number returns the attempt number for the operation and for messages.
func (t Task) number() int {
	if t.Number != 0 {
		return t.Number
	}
	return t.Attempt
}

// Resident reports whether one of the steps is resident.
func (t Task) Resident() bool {
	for _, l := range t.Links {
		if l.Step != nil && l.Step.IsResident() {
			return true
		}
	}
	return false
}

// Name names the task's steps, the first one first.
func (t Task) Name() string {
	var names []string
	for _, l := range t.Links {
		if l.Step != nil {
			names = append(names, l.Step.Name())
		}
	}
	return strings.Join(names, ", ")
}

// Build returns the SHA-256 of this program's file, in hexadecimal: driver and workers must be of the same build.
func Build() (string, error) { return build() }

var build = sync.OnceValues(func() (string, error) {
	path, err := Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
})

// Executable returns a path to this program as it was started, even if its file was replaced since.
func Executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// ChildBuild returns the [Build] that a worker started from [Executable] must have. It is empty on Linux, where such a
// worker always runs this very program, so that none has to read and hash the file.
func ChildBuild() (string, error) {
	if runtime.GOOS == "linux" {
		return "", nil
	}
	return Build()
}

// Failure is a worker's error, encoded for the driver.
type Failure struct {
	Partition int    `json:"partition"`
	Attempt   int    `json:"attempt,omitempty"`
	Step      string `json:"step,omitempty"`
	Cause     string `json:"cause"`
	// Value is the cause, if its type is registered.
	Value     *engine.ErrorValue `json:"value,omitempty"`
	Host      string             `json:"host,omitempty"`
	Permanent bool               `json:"permanent,omitempty"`
	Panic     bool               `json:"panic,omitempty"`
	Unread    string             `json:"unread,omitempty"` // the URL of an UnreadError
	Stack     string             `json:"stack,omitempty"`
	// of the Task; empty if its rows changed on their way
	Job string `json:"job,omitempty"`
}

// FailureOf encodes an error.
func FailureOf(err error) Failure {
	if first := (*Failure)(nil); errors.As(err, &first) { // of the task that made this one's rows
		return *first
	}
	f := Failure{Permanent: engine.IsPermanent(err)}
	if task := (*taskError)(nil); errors.As(err, &task) {
		f.Partition, f.Attempt, f.Host, f.Job, err = task.partition, task.attempt, task.host, task.job, task.error
	}
	if unread := (*UnreadError)(nil); errors.As(err, &unread) {
		f.Unread = unread.URL
	}
	output, garbled, moved := (*OutputError)(nil), (*FramingError)(nil), exchangeError{}
	if errors.As(err, &output) || errors.As(err, &garbled) || errors.As(err, &moved) {
		f.Job = ""
	}
	if step := (*engine.StepError)(nil); errors.As(err, &step) {
		f.Step, err = step.Step, step.Cause
	}
	f.Cause, f.Value = engine.Advised(err).Error(), engine.ErrorValueOf(err)
	if p := (*engine.PanicError)(nil); errors.As(err, &p) {
		f.Cause, f.Panic, f.Stack = fmt.Sprint(p.Value), true, string(p.Stack)
	}
	return f
}

// taskError names the task of an error.
type taskError struct {
	partition, attempt int
	host, job          string
	error
}

func (e *taskError) Unwrap() error { return e.error }

func (f *Failure) Error() string {
	if f.Step == "" {
		return f.Cause
	}
	return f.Step + ": " + f.Cause
}

// Unwrap rebuilds the error: a StepError, a PanicError, a Permanent one.
func (f *Failure) Unwrap() error {
	err := f.Value.In(f.Cause)
	if f.Panic {
		err = &engine.PanicError{Value: f.Cause, Stack: []byte(f.Stack)}
	}
	if f.Permanent {
		err = engine.Permanent(err)
	}
	if f.Step != "" {
		err = &engine.StepError{Step: f.Step, Cause: err}
	}
	return err
}
