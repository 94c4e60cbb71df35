// Package faulttest injects faults into the workers of an engine, each once, by worker and step. The tests of each
// engine call Run, and their programs call Main first. Faults are set through a file, so that they also reach workers
// that the test did not start. They happen between a worker and its streams, and operations do not know of them.
package faulttest

import "fmt"

// Deed is what happens to a worker.
type Deed string

// What can happen. A worker whose output is spoiled goes on.
const (
	Kill    Deed = "killed"               // SIGKILL
	Cut     Deed = "cut"                  // half a record is written, then SIGKILL
	Exit    Deed = "exit 0"               // it ends as if all were well
	Stop    Deed = "stopped"              // SIGSTOP
	Hang    Deed = "hangs"                // its output is closed, and the process stays
	Garbage Deed = "garbage"              // something else than a record is written
	Lose    Deed = "loses a row"          // the next record is not written
	Foreign Deed = "of another partition" // the next record is written once more, as another partition's
	Repeat  Deed = "repeated"             // the whole output is written twice
	// Late is an attempt whose output comes after its replacement's. The output is held back and the process killed;
	// the next attempt writes it behind its own.
	Late Deed = "late"
	// Orphan is a worker whose parent is killed, which is a Spark executor; it goes on, until it notices. Never to be used
	// where the parent is the test.
	Orphan Deed = "orphaned"
	// Ghost is an orphan that is stopped, and continued when the job is done: see Armed.Continue.
	Ghost Deed = "orphaned and stopped"
)

// unseen says that a process which does this looks well from outside: only who reads its output can notice.
func (d Deed) unseen() bool { return d != Kill && d != Cut && !d.Parent() }

// Parent says whether it is done to the worker's parent, too.
func (d Deed) Parent() bool { return d == Orphan || d == Ghost }

// Point is where in a task it happens.
type Point string

// The points of a task, in their order.
const (
	Told      Point = "when told its task"
	Read      Point = "after reading rows" // Fault.Row of them
	Wrote     Point = "after writing rows" // Fault.Row of them; if there are fewer, before the commit
	End       Point = "before the commit"  // the last row is written
	Committed Point = "after the commit"   // and then, as far as the worker is concerned, all is done
)

// Any stands for every partition.
const Any = -1

// Fault is a deed and where it is done. It happens once.
type Fault struct {
	Deed  Deed
	Point Point
	Row   int
	// Task has the names of the task's steps, as worker.Task.Name gives them. None stands for every task.
	Task string
	// Partition is the one that the task makes, or Any.
	Partition int
	// Nth is how many tasks like that go well before. An attempt counts as a task.
	Nth int
}

func (f Fault) String() string {
	s := fmt.Sprintf("%s %s", f.Deed, f.Point)
	if f.Point == Read || f.Point == Wrote {
		s += fmt.Sprintf(" (%d)", f.Row)
	}
	return s
}
