// Package faulttest injects faults into the workers of an engine. Each fault happens once, to a chosen worker and step.
// The tests of each engine call Run, and their programs call Main first. Faults are set through a file, so they also
// reach workers that the test did not start. They act on a worker's streams, so operations don't know of them.
package faulttest

import "fmt"

// Deed is the kind of a fault.
type Deed string

// The kinds of faults. A worker whose output is spoiled continues.
const (
	Kill    Deed = "killed"               // SIGKILL
	Cut     Deed = "cut"                  // half a record is written, then SIGKILL
	Exit    Deed = "exit 0"               // the process exits with status 0 before its work is done
	Stop    Deed = "stopped"              // SIGSTOP
	Hang    Deed = "hangs"                // its output is closed, and the process stays alive
	Garbage Deed = "garbage"              // a line that is not a record is written
	Lose    Deed = "loses a row"          // the next record is left out
	Foreign Deed = "of another partition" // the next record is also written as another partition's
	Repeat  Deed = "repeated"             // the whole output is written twice
	// Late makes the output of an attempt arrive after that of its replacement. The output is stored and the process
	// killed. The next attempt writes the stored output after its own.
	Late Deed = "late"
	// Orphan kills the worker's parent, which is a Spark executor. The worker continues until it notices. Never use it
	// where the parent is the test.
	Orphan Deed = "orphaned"
	// Ghost is Orphan for a worker that is also stopped. It continues after the job: see Armed.Continue.
	Ghost Deed = "orphaned and stopped"
)

// unseen reports whether the process looks healthy from outside. Only the reader of its output can notice such a fault.
func (d Deed) unseen() bool { return d != Kill && d != Cut && !d.Parent() }

// Parent reports whether the fault also hits the worker's parent.
func (d Deed) Parent() bool { return d == Orphan || d == Ghost }

// Point is the point in a task at which a fault happens.
type Point string

// The points of a task, in order.
const (
	Told      Point = "when told its task"
	Read      Point = "after reading rows" // after Fault.Row rows
	Wrote     Point = "after writing rows" // after Fault.Row rows; before the commit if there are fewer
	End       Point = "before the commit"  // after the last row
	Committed Point = "after the commit"   // the worker considers the task done
)

// Any stands for all partitions.
const Any = -1

// Fault is a kind of fault and the place where it happens. It happens once.
type Fault struct {
	Deed  Deed
	Point Point
	Row   int
	// Task has the names of the task's steps, as worker.Task.Name returns them. Empty stands for all tasks.
	Task string
	// Partition is the partition that the task computes, or Any.
	Partition int
	// Nth is the number of matching tasks that are left alone before the fault happens. Each attempt counts as a task.
	Nth int
}

func (f Fault) String() string {
	s := fmt.Sprintf("%s %s", f.Deed, f.Point)
	if f.Point == Read || f.Point == Wrote {
		s += fmt.Sprintf(" (%d)", f.Row)
	}
	return s
}
