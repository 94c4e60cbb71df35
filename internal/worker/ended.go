package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// taskMark begins a line of standard error that names the worker's next task, in case it ends without another line.
const taskMark = "dl4go-task "

// taskLimit bounds that line. With the cause of a failure, it must be less than 2048 bytes: an executor of Spark ends
// if it looks at its full buffer of standard error while Spark writes to that.
const taskLimit = 500

func printTask(to io.Writer, t Task) {
	f := Failure{Partition: t.Partition, Attempt: t.number(), Step: t.Name(), Host: hostname()}
	b, err := json.Marshal(f)
	for err == nil && len(b) > taskLimit && f.Step != "" { // names of many operations
		f.Step = f.Step[:min(len(f.Step)/2, taskLimit/2)]
		b, err = json.Marshal(f)
	}
	if err == nil && len(b) <= taskLimit {
		fmt.Fprintf(to, "%s%s\n", taskMark, b)
	}
}

// ParseTask finds the last task that a worker has begun in the end of its standard error. The Failure has no cause.
func ParseTask(stderr string) (f *Failure, ok bool) { return parseMarked(stderr, taskMark) }

const moreMemory = "give workers more memory (on Spark: spark.executor.memoryOverhead), or lower the batch size, " +
	"the threads " +
	"of a task, or the number of tasks at a time"

// Ending says how a process ended that gave no answer ("was killed …"), with advice, if there is any. status is its
// exit status, or 128 and the number of the signal that ended it, as in shells. stderr is the end of its standard
// error.
func Ending(status int, stderr string) (how, advice string) {
	const killed = 128 + 9
	crashed, lines := crash(stderr)
	switch {
	case status == killed:
		return "was killed (signal 9), by a user or by the system for lack of memory", "If memory was short, " + moreMemory
	case status > 128:
		return fmt.Sprintf("was ended by signal %d", status-128), ""
	case strings.Contains(lines, "out of memory") || strings.Contains(lines, "cannot allocate memory"):
		return fmt.Sprintf("ran out of memory (exit status %d): %s", status, lines), "G" + moreMemory[1:]
	case crashed && lines == "":
		return fmt.Sprintf("crashed (exit status %d), for a reason that what is left of its output lacks", status),
			"If memory was short, " + moreMemory
	case crashed:
		return fmt.Sprintf("crashed (exit status %d): %s", status, lines), ""
	case status == 0:
		return "ended by itself (exit status 0)", "An operation gives an error instead of calling os.Exit"
	}
	return fmt.Sprintf("ended (exit status %d)", status), ""
}

var crashMarks = []string{"panic: ", "fatal error: ", "runtime: "}

// BeginsCrash reports whether a line is the first that Go's runtime prints when it ends the process.
func BeginsCrash(line string) bool {
	for _, mark := range crashMarks {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// crash reports whether Go's runtime ended the process. It returns the lines with the reason, if they are there.
func crash(stderr string) (crashed bool, lines string) {
	for line := range strings.Lines(stderr) {
		if BeginsCrash(line) {
			lines += "; " + strings.TrimSpace(line)
		}
		crashed = crashed || lines != "" || strings.HasPrefix(line, "goroutine ")
	}
	return crashed, strings.TrimPrefix(lines, "; ")
}
