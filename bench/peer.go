package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// peer is the process of another system. It answers "WORK CALLS" with the mean milliseconds of a call.
type peer struct {
	name    string
	version string
	in      io.WriteCloser
	out     *bufio.Scanner
	cmd     *exec.Cmd
}

func startPeer(name string, threads int, command ...string) (*peer, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", threads))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("peer %s: %w", name, err)
	}
	p := &peer{name: name, in: in, out: bufio.NewScanner(out), cmd: cmd}
	for p.out.Scan() {
		if v, ok := strings.CutPrefix(p.out.Text(), "ready "); ok {
			p.version = v
			return p, nil
		}
	}
	p.close()
	return nil, fmt.Errorf("peer %s ended before it was ready", name)
}

// time returns the mean milliseconds of n calls of a work.
func (p *peer) time(work string, n int) (float64, error) {
	if _, err := fmt.Fprintf(p.in, "%s %d\n", work, n); err != nil {
		return 0, err
	}
	if !p.out.Scan() {
		return 0, fmt.Errorf("peer %s ended at %s", p.name, work)
	}
	return strconv.ParseFloat(p.out.Text(), 64)
}

func (p *peer) close() {
	p.in.Close()
	p.cmd.Wait()
}
