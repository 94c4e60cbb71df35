package faulttest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/dl4go/dl4go/internal/worker"
)

// output is the stream that a worker writes. Each Write has whole records.
type output struct {
	to    io.Writer
	tasks *tasks
	pass  []byte
	inRow bool // the last line was a piece of a record that continues
}

func (o *output) Write(b []byte) (int, error) {
	t := o.tasks.first()
	for line := range bytes.Lines(b) {
		if t == nil || len(t.faults) == 0 {
			o.pass = append(o.pass, line...)
		} else if err := o.disturb(t, line); err != nil {
			return 0, err
		}
		if kind := kindOf(line); kind == worker.Commit || kind == worker.Failed {
			o.tasks.pop()
			t = o.tasks.first()
		}
	}
	return len(b), o.flush()
}

func (o *output) flush() error {
	_, err := o.to.Write(o.pass)
	o.pass = o.pass[:0]
	return err
}

// disturb makes the faults happen that are due at a line. Otherwise it passes the line on.
func (o *output) disturb(t *task, line []byte) error {
	kind := kindOf(line)
	if kind == worker.Alive || kind == worker.Job || kind == worker.Failed {
		o.pass = append(o.pass, line...)
		if kind == worker.Job {
			t.lines.Write(line)
		}
		return nil
	}
	begins := !o.inRow
	o.inRow = kind == worker.Piece
	var now []Deed
	if begins {
		now = t.at(Wrote, t.wrote)
	}
	if kind == worker.Row {
		t.wrote++
	}
	if kind == worker.Commit {
		for _, f := range t.faults {
			if f.Point == Wrote && f.Row > t.wrote {
				now = append(now, t.at(Wrote, f.Row)...)
			}
		}
		now = append(now, t.at(End, 0)...)
	}
	t.lines.Write(line)
	var err error
	if t.held == nil && !slices.Contains(now, Lose) {
		if slices.Contains(now, Foreign) {
			o.pass = append(append(o.pass, '7'), line...)
		}
		for _, d := range now {
			err = errors.Join(err, o.do(d, line))
		}
		o.pass = append(o.pass, line...)
	}
	if kind == worker.Commit {
		err = errors.Join(err, o.committed(t))
	}
	return err
}

// do makes a fault happen before a line is written.
func (o *output) do(d Deed, line []byte) error {
	switch d {
	case Garbage:
		o.pass = append(o.pass, "hello, world\n"...)
		return nil
	case Cut:
		o.pass = append(o.pass, line[:len(line)/2]...)
	}
	if err := o.flush(); err != nil {
		return err
	}
	switch d {
	case Kill, Cut:
		kill()
	case Exit:
		os.Exit(0)
	case Stop:
		return stop()
	case Orphan, Ghost:
		parent, err := os.FindProcess(os.Getppid())
		if err == nil {
			err = parent.Kill()
		}
		if err == nil && d == Ghost {
			err = stop()
		}
		return err
	case Hang:
		if c, ok := o.to.(io.Closer); ok {
			c.Close()
		}
		select {}
	}
	return nil
}

func (o *output) committed(t *task) error {
	if t.held != nil {
		if err := t.held.hold(t.lines.Bytes()); err != nil {
			return err
		}
		kill()
	}
	for _, f := range t.faults {
		if f.Deed != Late {
			continue
		}
		late, err := f.late()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		o.pass = append(o.pass, late...)
	}
	for _, d := range t.at(Committed, 0) {
		if d == Repeat {
			o.pass = append(o.pass, t.lines.Bytes()...)
		}
		if err := o.do(d, nil); err != nil {
			return err
		}
	}
	return nil
}
