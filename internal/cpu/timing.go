package cpu

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/program"
)

// SetProfile times the runs of all programs by operation; nil stops it.
func (e *Executor) SetProfile(p *program.Profile) { e.profile = p }

// timing has the counters of a program's instructions.
type timing struct {
	profile *program.Profile
	cells   []*program.Cell
}

// runTimed runs the instructions, and returns their total time.
func (x *Executable) runTimed() time.Duration {
	if x.timing == nil || x.timing.profile != x.executor.profile {
		x.timing = x.newTiming(x.executor.profile)
	}
	start := time.Now()
	last := start
	for i, in := range x.code {
		in.run(x)
		now := time.Now()
		took := now.Sub(last)
		if l, ok := in.(*loop); ok {
			took -= l.inside
		}
		x.timing.cells[i].Add(took)
		last = now
	}
	return last.Sub(start)
}

func (x *Executable) newTiming(p *program.Profile) *timing {
	t := &timing{profile: p}
	for _, nodes := range x.nodes {
		of := nodes[len(nodes)-1]
		if nodes[0].unit.tail != nil {
			of = nodes[0]
		}
		scope, name := of.scope, named(nodes)
		if x.loop != nil {
			scope, name = x.loop.scope, "scan/"+name
		}
		t.cells = append(t.cells, p.Cell(scope, name))
	}
	return t
}

// mostNamed is the number of kinds of operations that a group's name lists.
const mostNamed = 4

// named lists the kinds of operations that run as one.
func named(nodes []*node) string {
	var kinds []string
	for _, n := range nodes {
		kind := n.op.Name()
		switch op := n.op.(type) {
		case program.Unary:
			kind = string(op.Kind)
		case program.Binary:
			kind = string(op.Kind)
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if more := len(kinds) - mostNamed; more > 0 {
		kinds = append(kinds[:mostNamed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(kinds, "+")
}
