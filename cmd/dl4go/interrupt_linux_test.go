package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// TestInterruptWhileReading: an interrupt does not wait for data that is still being read, here from an empty pipe.
func TestInterruptWhileReading(t *testing.T) {
	for _, cmd := range [][]string{{"summary", "--model", "mlp"},
		{"train", "--save", filepath.Join(t.TempDir(), "m.zip")}, {"score", "--model", oracleModel(t)},
		{"evaluate", "--model", oracleModel(t)}} {
		path := filepath.Join(t.TempDir(), "a.csv") // a new one: the last command may still hold its own
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		root := rootCommand()
		root.SetArgs(append(cmd, "--data", "csv:"+path))
		ended := make(chan error)
		go func() { ended <- root.ExecuteContext(ctx) }()
		w, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the reader
		if err != nil {
			t.Fatal(err)
		}
		interrupt()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", cmd, err)
		}
		w.Close()
	}
}

// TestInterruptOfAStream: interrupted predictions of a partly read file leave nothing behind.
func TestInterruptOfAStream(t *testing.T) {
	for _, name := range []string{"out.npy", "out.csv"} {
		dir := t.TempDir()
		spec, packed := pixels4(t, dir, 3*distributed.PieceRows)
		pipe := filepath.Join(dir, "x.gz")
		if err := errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o600)); err != nil {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		root := rootCommand()
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		root.SetArgs([]string{"predict", "--model", mlpModel(), "--master", "local[2]", "--data", spec, "--output",
			filepath.Join(dir, name)})
		ended := make(chan error)
		go func() { ended <- root.ExecuteContext(ctx) }()
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(packed[:len(packed)-100]); err != nil { // more than a pipe holds: most of it was read then
			t.Error(err)
		}
		interrupt()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		w.Close()
		onlyTheData(t, dir)
	}
}

func oracleModel(t *testing.T) string {
	t.Helper()
	all, err := filepath.Glob("../../testdata/oracle/nets/*/model.zip")
	if err != nil || len(all) == 0 {
		t.Fatalf("no models: %v", err)
	}
	return all[0]
}

// TestInterruptWhileDistributing: an interrupt does not wait for examples that are being sent to the engine.
func TestInterruptWhileDistributing(t *testing.T) {
	e, err := engine.Open(t.Context(), "local[1]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	digits, err := source.Open(t.Context(), "digits:test")
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	read := 0
	s := counted{digits, func() {
		if read++; read == 3 {
			interrupt()
		}
	}}
	if _, err := distributed.Spread(ctx, e, s, nil, 0); !errors.Is(err, context.Canceled) || read != 3 {
		t.Errorf("after %d examples: %v", read, err)
	}
	read = 3
	if d, err := distributed.Spread(t.Context(), e, s, nil, 0); err != nil || read != 3+digits.Objects() {
		t.Errorf("%v, after %d examples: %v", d, read, err)
	}
}

type counted struct {
	source.Source
	object func()
}

func (s counted) Object(i int) (*data.MultiDataSet, error) {
	s.object()
	return s.Source.Object(i)
}
