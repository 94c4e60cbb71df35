// Package checkup runs checks of the machines that a program needs, each with a deadline. It reports the findings and
// how to fix problems.
package checkup

import (
	"context"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/internal/grace"
)

// Level is the severity of a finding.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning" // works, but not optimally, or not for everything
	Failure Level = "failure" // must be fixed
	Skipped Level = "skipped" // could not be checked, since something else failed
)

// Finding is what a check found.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"` // what to do
}

// Okf returns a finding that all is well.
func Okf(format string, args ...any) Finding {
	return Finding{Level: OK, Text: fmt.Sprintf(format, args...)}
}

// Warn returns a warning with its remedy.
func Warn(text, fix string) Finding { return Finding{Level: Warning, Text: text, Fix: fix} }

// Fail returns a failure with its remedy.
func Fail(text, fix string) Finding { return Finding{Level: Failure, Text: text, Fix: fix} }

// Skip returns a finding that nothing could be found out.
func Skip(why string) Finding { return Finding{Level: Skipped, Text: why} }

// Check is one thing to look at.
type Check struct {
	Name     string
	Needs    []string      // checks that must succeed first: if one has failed or was skipped, this one is skipped
	Deadline time.Duration // 30 s if 0
	Late     string        // remedy if the deadline passes
	Run      func(ctx context.Context) []Finding
}

// late is how long Run waits for a check after its deadline.
const late = 5 * time.Second

// Run runs the checks in order, and calls each with their findings, with the check's name if the finding has none. It
// returns the number of findings of each level. It stops when ctx is done.
func Run(ctx context.Context, checks []Check, each func(Finding)) map[Level]int {
	counts := make(map[Level]int)
	bad := make(map[string]bool)
	for _, c := range checks {
		found := c.findings(ctx, bad)
		if ctx.Err() != nil { // the findings are due to the cancellation
			break
		}
		for _, f := range found {
			if f.Check == "" {
				f.Check = c.Name
			}
			if f.Level == Failure || f.Level == Skipped {
				bad[f.Check], bad[c.Name] = true, true
			}
			counts[f.Level]++
			each(f)
		}
	}
	return counts
}

func (c Check) findings(ctx context.Context, bad map[string]bool) []Finding {
	for _, need := range c.Needs {
		if bad[need] {
			return []Finding{Skip("not checked: it needs " + need)}
		}
	}
	deadline := c.Deadline
	if deadline == 0 {
		deadline = 30 * time.Second
	}
	limited, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	var found []Finding
	done := make(chan struct{})
	go func() {
		found = c.Run(limited)
		close(done)
	}()
	if !grace.Await(done, deadline+late) {
		return []Finding{Fail(fmt.Sprintf("no answer within %v", deadline), c.Late)}
	}
	return found
}
