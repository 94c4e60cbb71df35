package cpu

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/dl4go/dl4go/program"
)

// loop is a program.Scan. Its body is an Executable of its own. The body's inputs and outputs are the steps' parts of
// the loop's operands and results, so nothing is copied from step to step.
type loop struct {
	node  *node
	op    program.Scan
	body  *Executable
	arena *buffer
	out   []int // results of the loop that somebody reads: the body's outputs
	// The memory of the body's inputs and outputs, in their order, for all steps.
	memory [][]float32
	size   []int         // of a step's part
	inside time.Duration // time of the timed operations in the last run
}

func init() { kernels["scan"] = newLoop }

func isLoop(n *node) bool {
	_, loop := n.op.(program.Scan)
	return loop
}

// loopKeeps reports whether a loop keeps result i in memory: its states, and results that are read.
func loopKeeps(n *node, i int) bool {
	return i < n.op.(program.Scan).States || n.out[i].dest != nil || len(n.out[i].uses) > 0
}

func newLoop(x *Executable, n *node, m *memory) (instruction, error) {
	op := n.op.(program.Scan)
	l := &loop{node: n, op: op}
	body := *op.Body
	body.Outputs = nil
	for i := range n.out {
		if loopKeeps(n, i) {
			l.out = append(l.out, i)
			body.Outputs = append(body.Outputs, op.Body.Outputs[i])
		}
	}
	var err error
	if l.body, err = x.executor.planned(&body, true, x.parameters.ofBody(op, n.in)); err != nil {
		return nil, err
	}
	l.body.loop = n
	for _, in := range body.Inputs {
		l.size = append(l.size, in.Shape.Size())
	}
	for _, o := range body.Outputs {
		l.size = append(l.size, o.Value.Shape.Size())
	}
	l.memory = make([][]float32, len(l.size))
	l.body.input = make([][]float32, len(l.size))
	l.arena = m.work(n.unit, l.body.arenaSize)
	x.scratchSize = max(x.scratchSize, l.body.scratchSize)
	return l, nil
}

func (l *loop) run(x *Executable) {
	op, s := l.op, l.body
	l.inside = 0
	s.memory[inArena], s.memory[inOwn], s.key = x.work(l.arena), s.own, x.key
	for i, o := range l.node.in {
		l.memory[i] = x.read(o)
	}
	outputs := len(l.node.in)
	for i, k := range l.out {
		l.memory[outputs+i] = x.elements(l.node.out[k])
	}
	copy(s.input, l.memory[:op.Invariants])
	for k := range op.States {
		states, size := l.memory[outputs+k], l.size[outputs+k]
		at := 0
		if op.Reverse {
			at = op.Steps * size
		}
		copy(states[at:at+size], l.memory[op.Invariants+k])
		l.memory[op.Invariants+k] = states
	}
	for i := range op.Steps {
		t, from, to := i, i, i+1
		if op.Reverse {
			t = op.Steps - 1 - i
			from, to = t+1, t
		}
		for k := op.Invariants; k < len(l.size); k++ {
			at := t
			switch {
			case k < op.Invariants+op.States:
				at = from
			case k >= outputs && k < outputs+op.States:
				at = to
			}
			s.input[k] = l.memory[k][at*l.size[k] : (at+1)*l.size[k]]
		}
		if x.executor.profile != nil {
			l.inside += s.runTimed()
			continue
		}
		for _, in := range s.code {
			in.run(s)
		}
	}
	clear(s.input)
	clear(l.memory)
	clear(s.memory[:])
}

func (l *loop) String() string {
	var b bytes.Buffer
	_ = l.body.Dump(&b) // a bytes.Buffer never fails
	direction := ""
	if l.op.Reverse {
		direction = " backwards"
	}
	s := fmt.Sprintf("loop of %d steps%s, %d operations", l.op.Steps, direction, len(l.op.Body.Nodes))
	for i, v := range l.node.out {
		if loopKeeps(l.node, i) {
			s += fmt.Sprintf("\n%%%d%v%s", v.label, v.shape, place(v))
		}
	}
	return s + "\n  " + strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "\n  ")
}
