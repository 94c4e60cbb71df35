package worker

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/engine"
)

// JobTexts writes tasks that have much in common, for Spark: their common text once, and a few bytes for each task. The
// text of a task is the common text followed by its own.
type JobTexts struct {
	shared Task
	own    []string
	known  map[*engine.Step]int
	texts  map[string]int
}

// Add adds a task. Its common fields must be the same as the first task's.
func (j *JobTexts) Add(t Task) error {
	if j.own == nil {
		j.shared = Task{Job: t.Job, Heartbeat: t.Heartbeat, Released: t.Released, Broadcasts: t.Broadcasts, Sums: t.Sums}
		j.known, j.texts = make(map[*engine.Step]int), make(map[string]int)
	}
	t.Job, t.Heartbeat, t.Released, t.Broadcasts, t.Sums = "", nil, nil, nil, nil
	t.Links = slices.Clone(t.Links)
	for i := range t.Links {
		l := &t.Links[i]
		if l.Step == nil {
			continue
		}
		at, ok := j.known[l.Step]
		if !ok {
			b, err := json.Marshal(l.Step)
			if err != nil {
				return err
			}
			if at, ok = j.texts[string(b)]; !ok {
				j.shared.Steps = append(j.shared.Steps, *l.Step)
				at = len(j.shared.Steps)
				j.texts[string(b)] = at
			}
			j.known[l.Step] = at
		}
		l.Step, l.Shared = nil, at
	}
	b, err := json.Marshal(t)
	j.own = append(j.own, base64.StdEncoding.EncodeToString(b))
	return err
}

// Texts returns the common text, and each task's own.
func (j *JobTexts) Texts() (shared string, own []string, err error) {
	b, err := json.Marshal(j.shared)
	for len(b)%3 != 0 {
		b = append(b, ' ') // so that the task's own base64 can follow
	}
	return base64.StdEncoding.EncodeToString(b), j.own, err
}

// ReadJob reads a task's text: the common text, if any, and its own.
func ReadJob(b []byte, t *Task) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(t); err != nil {
		return err
	}
	if err := d.Decode(t); err != nil && err != io.EOF {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("a task's text has more behind its end")
	}
	for i := range t.Links {
		l := &t.Links[i]
		if l.Shared == 0 {
			continue
		}
		if l.Shared < 0 || l.Shared > len(t.Steps) {
			return fmt.Errorf("link %d is step %d of the %d that tasks share", i, l.Shared, len(t.Steps))
		}
		l.Step, l.Shared = &t.Steps[l.Shared-1], 0
	}
	return nil
}
