// Package client starts a device process and sends it requests.
package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/internal/xla/wire"
)

// Patience is the time limit for an answer. Compilations of large networks for GPUs take minutes.
const Patience = 15 * time.Minute

// Process is a device process. It answers one request at a time.
type Process struct {
	Memory   *wire.Memory
	cmd      *exec.Cmd
	requests *os.File
	answers  *os.File
	in       *json.Encoder
	out      *json.Decoder
	log      tail
	dead     error
}

// Died is the error of a request whose device process ended or doesn't answer.
type Died struct{ Reason string }

func (d *Died) Error() string { return "the device process " + d.Reason }

// Refused is an error answered by the device process.
type Refused struct {
	Message   string
	Exhausted bool // the device lacks memory
	Lost      bool // the device failed
}

func (r *Refused) Error() string { return r.Message }

// Start starts the program dl4go-xla, with additional environment variables.
func Start(program string, env []string) (*Process, error) {
	memory, err := wire.NewMemory()
	if err != nil {
		return nil, err
	}
	p := &Process{Memory: memory}
	requests, requestsEnd, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, memory.Close())
	}
	answersEnd, answers, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, memory.Close(), requests.Close(), requestsEnd.Close())
	}
	p.requests, p.answers = requestsEnd, answersEnd
	p.cmd = exec.Command(program, "serve")
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdin, p.cmd.Stderr = requests, &p.log
	p.cmd.ExtraFiles = []*os.File{memory.File(), answers}
	err = p.cmd.Start()
	_, _ = requests.Close(), answers.Close()
	if err != nil {
		_, _, _ = requestsEnd.Close(), answersEnd.Close(), memory.Close()
		return nil, err
	}
	p.in, p.out = json.NewEncoder(p.requests), json.NewDecoder(p.answers)
	return p, nil
}

// Do sends a request and waits for the answer. Its error is a *Refused, or a *Died, after which every request fails.
func (p *Process) Do(r *wire.Request) (*wire.Answer, error) {
	if p.dead != nil {
		return nil, p.dead
	}
	_ = p.answers.SetReadDeadline(time.Now().Add(Patience))
	a := &wire.Answer{}
	err := p.in.Encode(r)
	if err == nil {
		err = p.out.Decode(a)
	}
	if err != nil {
		p.dead = &Died{p.end(err)}
		return nil, p.dead
	}
	if a.Error != "" {
		return nil, &Refused{a.Error, a.Exhausted, a.Lost}
	}
	return a, nil
}

// end ends the process after an error of its pipes, and returns the reason why it ended.
func (p *Process) end(err error) string {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		return fmt.Sprintf("did not answer within %v", Patience)
	}
	_ = p.requests.Close()
	reason := "ended"
	if err := p.wait(); err != nil {
		reason += ": " + err.Error()
	}
	if last := p.log.last(); last != "" {
		reason += "; its last words: " + last
	}
	return reason
}

// wait waits until the process ends, which it does after its last request. It kills a process that doesn't end.
func (p *Process) wait() error {
	const grace = 10 * time.Second
	kill := time.AfterFunc(grace, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	return p.cmd.Wait()
}

// ID returns the process ID.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Close ends the process and waits for its end.
func (p *Process) Close() {
	if p.dead == nil {
		p.dead = &Died{"was closed"}
		_ = p.requests.Close()
		_ = p.wait()
	}
	_, _ = p.answers.Close(), p.Memory.Close()
}

// tail is a writer that keeps the end of its text.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const kept = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if len(t.text) > 2*kept {
		t.text = slices.Delete(t.text, 0, len(t.text)-kept)
	}
	return len(b), nil
}

// last returns the last lines.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}
