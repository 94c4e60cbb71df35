package engine

import (
	"errors"
	"fmt"
	"syscall"
)

// WorkerError describes the part of a job that failed for good: operation, partition, worker and cause.
type WorkerError struct {
	Worker    string // where the last attempt ran: "slot 1 of local[2]"
	Partition int    // from 0
	Attempt   int    // the last attempt, from 1
	Step      string // the operation that failed, by its registered name, or the engine's own task
	Cause     error
}

func (e *WorkerError) Error() string {
	return fmt.Sprintf("partition %d, attempt %d, %s on %s: %v", e.Partition, e.Attempt, e.Step, e.Worker,
		Advised(e.Cause))
}

// Advised adds advice to an error of the operating system, such as a full disk. It returns other errors unchanged.
func Advised(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w (that machine's disk is full: make room there, or choose another directory)", err)
	}
	return err
}

func (e *WorkerError) Unwrap() error { return e.Cause }

// PanicError is a panic of an operation. The engine logs the stack.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Permanent marks an error that another attempt would only repeat: bad user data, NaN in the score. The job fails
// with it at once. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

// IsPermanent reports whether err, or an error that it wraps, was marked by [Permanent].
func IsPermanent(err error) bool {
	var p *permanentError
	return errors.As(err, &p)
}

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// StepError names the operation in which an attempt failed. Engines turn it into a WorkerError.
type StepError struct {
	Step  string
	Cause error
}

func (e *StepError) Error() string { return e.Step + ": " + e.Cause.Error() }
func (e *StepError) Unwrap() error { return e.Cause }

// ErrEmpty is the result of reducing a data set that has no rows.
var ErrEmpty = errors.New("the data set has no rows")

// SavedError means that a place has no saved rows, for this reason.
type SavedError struct {
	Place  string
	Reason string
}

func (e *SavedError) Error() string {
	return fmt.Sprintf("%s holds nothing that a run has saved and kept: %s", e.Place, e.Reason)
}
