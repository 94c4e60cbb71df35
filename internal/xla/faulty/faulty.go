//go:build linux

// Package faulty is a misbehaving device process for tests. It starts the real one, passes messages on, and obeys the
// environment variable DL4GO_XLA_FAULT:
//
//	die=N         it kills the real one and itself during run N, counted from its start
//	die=N,FILE    the same, unless the file exists; it creates the file then
//	taken=BYTES   runs that need more shared memory fail as if others had taken the device's memory
//	lost=N        run N, counted from its start, and all later ones fail as on a GPU that has fallen off the bus
//	lost=N,FILE   the same, unless the file exists; it creates the file then
//	gone=N,FILE   the same, and processes that are started later find no GPU
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

// Main runs the program. It ends when the requests end.
func Main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "the faulty device process:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// proxy sits between dl4go and the real device process.
type proxy struct {
	process *exec.Cmd
	die     int    // the run at which to die, 0 for none
	lost    int    // the first run that fails, 0 for none
	once    string // a file that marks that the fault has happened
	taken   int    // 0 for no limit
	runs    int
	broken  bool // the device is lost
	gone    bool // for later processes, too
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

// read parses the text of a fault.
func (p *proxy) read(fault string) (err error) {
	kind, number, _ := strings.Cut(fault, "=")
	number, p.once, _ = strings.Cut(number, ",")
	switch kind {
	case "die":
		p.die, err = strconv.Atoi(number)
	case "lost", "gone":
		p.lost, err = strconv.Atoi(number)
		p.gone = kind == "gone"
	case "taken":
		p.taken, err = strconv.Atoi(number)
	default:
		err = fmt.Errorf("%s: there is no fault %q", Fault, fault)
	}
	return err
}

// pass passes on requests and answers until the requests end.
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
		a, refuses, err := p.refuse(&r)
		if err != nil {
			return err
		}
		if !refuses {
			if err := to.Encode(&r); err != nil {
				return err
			}
			if err := p.step(r.Run); err != nil {
				return err
			}
			if err := back.Decode(&a); err != nil {
				return err
			}
		}
		if err := out.Encode(&a); err != nil {
			return err
		}
	}
}

// refuse counts a run, and answers a request if the fault is that it fails.
func (p *proxy) refuse(q *wire.Request) (a wire.Answer, refuses bool, err error) {
	if q.Open != nil && p.gone {
		if _, err := os.Stat(p.once); err == nil {
			return wire.Answer{Error: "INTERNAL: no supported devices found: CUDA_ERROR_NO_DEVICE"}, true, nil
		}
	}
	r := q.Run
	if r == nil {
		return a, false, nil
	}
	p.runs++
	if p.taken > 0 && wire.Shared(r.Args, r.Results) > p.taken {
		return wire.Answer{Error: "RESOURCE_EXHAUSTED: out of memory while trying to allocate", Exhausted: true}, true, nil
	}
	if p.lost > 0 && p.runs == p.lost {
		p.broken, err = p.first()
	}
	if !p.broken || err != nil {
		return a, false, err
	}
	return wire.Answer{Error: "INTERNAL: CUDA error: the GPU has fallen off the bus", Lost: true}, true, nil
}

// first reports whether the fault happens for the first time, or always happens.
func (p *proxy) first() (bool, error) {
	if p.once == "" {
		return true, nil
	}
	f, err := os.OpenFile(p.once, os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, errors.Join(err, f.Close())
}

// step dies if a run is the fault's.
func (p *proxy) step(r *wire.Run) error {
	if r == nil || p.runs != p.die {
		return nil
	}
	if first, err := p.first(); !first {
		return err
	}
	if err := p.process.Process.Kill(); err != nil {
		return err
	}
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
