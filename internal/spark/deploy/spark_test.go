//go:build spark

package deploy

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// deploy.echo/1 is a worker that returns its input.
func init() {
	engine.RegisterProtocol("deploy.echo/1", func() {
		io.Copy(os.Stdout, os.Stdin)
		os.Exit(0)
	})
}

func open(t *testing.T) *connect.Session {
	t.Helper()
	master := os.Getenv("DL4GO_SPARK")
	if master == "" {
		t.Fatal("DL4GO_SPARK names no Spark Connect server: run make test-spark, or tools/spark.sh with go test -tags " +
			"spark …")
	}
	a, err := connect.ParseAddress(master)
	if err != nil {
		t.Fatal(err)
	}
	s, err := connect.Open(t.Context(), a, connect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// echo has workers return 10 rows.
func echo(t *testing.T, s *connect.Session, p *Program) (rows int, err error) {
	t.Helper()
	err = s.Collect(t.Context(), connect.SQL("SELECT TRANSFORM(id) USING "+
		"'"+p.Command("deploy.echo/1")+"' AS (id STRING) FROM range(0, 10)"),
		connect.Run{}, func(b *arrow.Batch) error {
			rows += b.Rows
			return nil
		})
	return rows, err
}

func TestSparkSend(t *testing.T) {
	s := open(t)
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.survey(t.Context(), s); err != nil { // Spark's first query takes seconds
		t.Fatal(err)
	}
	if err := p.Send(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Machines()) != 1 || len(p.Machines()[ownMachine()]) != 1 ||
		p.Machines()[ownMachine()][0] != host || p.Slots() != 2 {
		t.Errorf("%+v", p)
	}
	for range 2 {
		if rows, err := echo(t, s, p); rows != 10 || err != nil {
			t.Errorf("%d rows, %v", rows, err)
		}
	}
	// The same program is sent in another session.
	s = open(t)
	if p, err = New(Options{}); err == nil {
		err = p.Send(t.Context(), s)
	}
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := echo(t, s, p); rows != 10 || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestSparkOtherMachines(t *testing.T) {
	s := open(t)
	p, err := New(Options{uname: "echo Linux s390x"})
	if err != nil {
		t.Fatal(err)
	}
	var missing *PlatformError
	host, _ := os.Hostname()
	if err := p.Send(t.Context(), s); !errors.As(err, &missing) || missing.Machine != "Linux-s390x" ||
		missing.Host != host ||
		missing.Platform != (Platform{"linux", "s390x"}) {
		t.Errorf("%v", err)
	}
	// Earlier sessions may have left a program for such machines on the executors, but none for this name.
	machine := "s390x-" + strings.ToLower(rand.Text())
	if p, err = New(Options{uname: "echo Linux " + machine}); err != nil {
		t.Fatal(err)
	}
	// This kind of machine was not there when the session began.
	if err := s.AddArtifacts(t.Context(), connect.ArtifactBytes("files/"+p.launcher(), []byte(p.script()))); err != nil {
		t.Fatal(err)
	}
	where := host + " (Linux " + strings.ReplaceAll(machine, "-", " ") + ") "
	fails := func(want string) {
		t.Helper()
		_, err := echo(t, s, p)
		if err == nil {
			t.Fatal("it ran")
		}
		if f, ok := worker.ParseCause(err.Error()); !ok || !strings.Contains(f.Cause, where+want) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	fails("has no worker program")
	// This file is for yet another kind of machine.
	elf := append([]byte{0x7F, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xF7, 0, 1}, make([]byte, 100)...)
	if err := s.AddArtifacts(t.Context(), connect.ArtifactBytes("files/dl4go-"+p.Build()+"-Linux-"+machine,
		elf)); err != nil {
		t.Fatal(err)
	}
	fails("can't run the worker program")
}

func TestSparkRefused(t *testing.T) {
	s := open(t)
	p, err := New(Options{uname: "exit 9"})
	if err != nil {
		t.Fatal(err)
	}
	var refused *RefusedError
	if err := p.Send(t.Context(), s); !errors.As(err, &refused) || !strings.Contains(err.Error(), "dl4go doctor") {
		t.Errorf("%v", err)
	}
	lasts := "while [ -e " + t.TempDir() + " ]; do sleep 0.1; done"
	if p, err = New(Options{uname: lasts, Patience: 2 * time.Second, Log: quiet}); err != nil {
		t.Fatal(err)
	}
	if err := p.Send(t.Context(), s); err == nil || !strings.Contains(err.Error(), "gave no task a slot within 2s") {
		t.Errorf("%v", err)
	}
}

// TestSparkSlots checks that there are as many slots as the test server's executors have cores, whatever its default
// parallelism is, and even while one executor is busy.
func TestSparkSlots(t *testing.T) {
	s, other := open(t), open(t)
	begun := filepath.Join(t.TempDir(), "begun")
	busy := make(chan error, 1)
	go func() {
		waits := connect.SQL("SELECT TRANSFORM(id) USING 'echo >" + begun +
			"; sleep 2; cat' AS (id STRING) FROM range(0, 1, 1, 1)")
		busy <- other.Collect(t.Context(), waits, connect.Run{}, func(*arrow.Batch) error { return nil })
	}()
	await.Until(t, "an executor to be busy", func() (any, bool) {
		_, err := os.Stat(begun)
		return err, err == nil
	})
	defer func() {
		if err := <-busy; err != nil {
			t.Error(err)
		}
	}()
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.survey(t.Context(), s); err != nil || p.Slots() != 2 {
		t.Errorf("%d slots, %v", p.Slots(), err)
	}
}
