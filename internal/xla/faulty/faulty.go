//go:build linux

// Package faulty is a device process for tests that misbehaves: it starts the real one, hands messages on, and does
// what the environment variable DL4GO_XLA_FAULT says:
//
//	die=N         it kills the real one and itself while run N is under way, counted from its start
//	die=N,FILE    the same, unless the file exists, which it makes then
//	taken=BYTES   runs that need more shared memory find that others have taken the device's memory
package faulty

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/dl4go/dl4go/internal/xla/wire"
)

// Environment variables: the fault, and the path of the real dl4go-xla.
const (
	Fault = "DL4GO_XLA_FAULT"
	Real  = "DL4GO_XLA_REAL"
)

// Main is the program. It ends with the requests.
func Main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "the faulty device process:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// proxy stands between dl4go and the real device process.
type proxy struct {
	process *exec.Cmd
	die     int    // the run to die at, 0 for none
	once    string // a file that says that it has died
	taken   int    // 0 for no limit
	runs    int
}

func serve() error {
	p := &proxy{process: exec.Command(os.Getenv(Real), "serve")}
	if err := p.read(os.Getenv(Fault)); err != nil {
		return err
	}
	answered, answers, err := os.Pipe()
	if err != nil {
		return err
	}
	p.process.Stderr = os.Stderr
	p.process.ExtraFiles = []*os.File{os.NewFile(wire.MemoryFile, "memory"), answers}
	requests, err := p.process.StdinPipe()
	if err != nil {
		return err
	}
	if err := p.process.Start(); err != nil {
		return err
	}
	if err := answers.Close(); err != nil {
		return err
	}
	if err := p.pass(requests, answered); err != nil {
		return err
	}
	return errors.Join(requests.Close(), p.process.Wait())
}

// read takes a fault from its text.
func (p *proxy) read(fault string) (err error) {
	kind, number, _ := strings.Cut(fault, "=")
	switch kind {
	case "die":
		number, p.once, _ = strings.Cut(number, ",")
		p.die, err = strconv.Atoi(number)
	case "taken":
		p.taken, err = strconv.Atoi(number)
	default:
		err = fmt.Errorf("%s: there is no fault %q", Fault, fault)
	}
	return err
}

// pass hands requests and answers on until the requests end.
func (p *proxy) pass(requests io.Writer, answered io.Reader) error {
	from, to := json.NewDecoder(os.Stdin), json.NewEncoder(requests)
	back, out := json.NewDecoder(answered), json.NewEncoder(os.NewFile(wire.AnswersFile, "answers"))
	for {
		var r wire.Request
		if err := from.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		a := wire.Answer{Error: "RESOURCE_EXHAUSTED: out of memory while trying to allocate", Exhausted: true}
		if r.Run == nil || p.taken == 0 || r.Run.Shared() <= p.taken {
			if err := to.Encode(&r); err != nil {
				return err
			}
			if err := p.step(r.Run); err != nil {
				return err
			}
			a = wire.Answer{}
			if err := back.Decode(&a); err != nil {
				return err
			}
		}
		if err := out.Encode(&a); err != nil {
			return err
		}
	}
}

// step counts a run, and dies at the one that the fault names.
func (p *proxy) step(r *wire.Run) error {
	if r == nil {
		return nil
	}
	if p.runs++; p.runs != p.die {
		return nil
	}
	if p.once != "" {
		f, err := os.OpenFile(p.once, os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if err := p.process.Process.Kill(); err != nil {
		return err
	}
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
