// Package checkup runs checks of the machines that a program needs, each with a deadline, and reports what it found and
// how to fix it.
package checkup

import (
	"context"
	"fmt"
	"time"
)

// Level is how a finding is meant.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning" // works, but not as well as it could, or not for everything
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

// Okf is a finding that all is well.
func Okf(format string, args ...any) Finding {
	return Finding{Level: OK, Text: fmt.Sprintf(format, args...)}
}

// Warn is a finding with what to do about it.
func Warn(text, fix string) Finding { return Finding{Level: Warning, Text: text, Fix: fix} }

// Fail is a finding that must be fixed.
func Fail(text, fix string) Finding { return Finding{Level: Failure, Text: text, Fix: fix} }

// Skip is a finding that nothing could be found out.
func Skip(why string) Finding { return Finding{Level: Skipped, Text: why} }

// Check is one thing to look at.
type Check struct {
	Name     string
	Needs    []string      // checks that it makes no sense without: if one has failed or was skipped, so is this one
	Deadline time.Duration // 30 s if 0
	Late     string        // what to do where the deadline passes
	Run      func(ctx context.Context) []Finding
}

// grace is how much longer than its deadline a check is waited for.
const grace = 5 * time.Second

// Run runs the checks in order and gives each what it finds, with the check's name where the finding has none. It says
// how many findings there were of each level. Where ctx is done it stops.
func Run(ctx context.Context, checks []Check, each func(Finding)) map[Level]int {
	counts := make(map[Level]int)
	bad := make(map[string]bool)
	for _, c := range checks {
		found := c.findings(ctx, bad)
		if ctx.Err() != nil { // what was found is that
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
	found := make(chan []Finding, 1)
	go func() { found <- c.Run(limited) }()
	patience := time.NewTimer(deadline + grace)
	defer patience.Stop()
	select {
	case f := <-found:
		return f
	case <-patience.C:
		return []Finding{Fail(fmt.Sprintf("no answer within %v", deadline), c.Late)}
	}
}
