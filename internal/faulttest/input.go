package faulttest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"

	"github.com/dl4go/dl4go/internal/worker"
)

// input is the stream that a worker reads. It sees each task before the worker does.
type input struct {
	from   io.Reader
	tasks  *tasks
	line   []byte
	pieces []byte // the parts so far of the next record's data
	last   *task
}

func (i *input) Read(b []byte) (int, error) {
	n, err := i.from.Read(b)
	for part := range bytes.Lines(b[:n]) {
		if i.line = append(i.line, part...); part[len(part)-1] == '\n' {
			if err := i.record(i.line); err != nil {
				return 0, fmt.Errorf("faulttest: %w", err)
			}
			i.line = i.line[:0]
		}
	}
	return n, err
}

func (i *input) record(line []byte) error {
	kind := kindOf(line)
	if kind == worker.Row && i.last != nil {
		i.last.read++
		for range i.last.at(Read, i.last.read) {
			kill()
		}
	}
	if kind != worker.Piece && kind != worker.Job {
		i.pieces = i.pieces[:0]
		return nil
	}
	if data := column(line, 5); string(data) != "-" {
		decoded, err := base64.StdEncoding.DecodeString(string(data))
		if err != nil {
			return err
		}
		i.pieces = append(i.pieces, decoded...)
	}
	if kind == worker.Piece || len(i.pieces) == 0 {
		return nil
	}
	err := i.begin(line, i.pieces)
	i.pieces = i.pieces[:0]
	return err
}

// begin finds the armed faults for a task.
func (i *input) begin(line, data []byte) error {
	var told worker.Task
	if err := worker.ReadJob(data, &told); err != nil {
		return err
	}
	var err error
	if told.Partition, err = strconv.Atoi(string(column(line, 0))); err != nil {
		return err
	}
	armed, err := orders()
	if err != nil {
		return err
	}
	i.last = new(task)
	for _, f := range armed {
		if !f.concerns(told) {
			continue
		}
		i.last.faults = append(i.last.faults, f)
		if f.Deed == Late && i.last.held == nil && f.claim() {
			i.last.held = &f
		}
	}
	i.tasks.push(i.last)
	for range i.last.at(Told, 0) {
		kill()
	}
	return nil
}
