package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/near"
)

// predictStream is dl4go predict on a CSV from standard input, with a model for rows of 4 numbers.
func predictStream(t *testing.T, flags ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	model, err := filepath.Abs(filepath.Join("..", "..", "testdata", "oracle", "nets", "mlp-sgd", "model.zip"))
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = append([]string{"dl4go", "predict", "--model", model, "--data", "csv:-?key=id&label=none", "--output", "-",
		"--master", "local[2]"}, flags...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=48MiB") // the collector keeps up on a busy machine, too
	stderr = new(bytes.Buffer)
	cmd.Stderr = stderr
	return cmd, stderr
}

// rows writes a CSV of n rows, or until nobody reads it.
func rows(w io.WriteCloser, n int) {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "id,a,b,c,d")
	for i := range n {
		if _, err := fmt.Fprintf(b, "row%d,0.%d,0.25,0.5,0.75\n", i, i%1000); err != nil {
			return
		}
	}
	b.Flush()
	w.Close()
}

// TestPredictStream: rows are predicted before the next ones arrive, and many rows need no more memory than few.
func TestPredictStream(t *testing.T) {
	cmd, stderr := predictStream(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	fmt.Fprintln(in, "id,a,b,c,d")
	for i := range 3 {
		fmt.Fprintf(in, "first%d,0,0.25,0.5,0.75\n", i)
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), fmt.Sprintf("first%d,", i)) {
			t.Fatalf("prediction %d is %q: %v, %s", i, lines.Text(), lines.Err(), stderr)
		}
	}
	const n, slack = 300_000, 90 << 10 // storing all rows would take more
	go rows(&headless{w: in}, n)
	most := 0
	for i := range n {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), fmt.Sprintf("row%d,", i)) {
			t.Fatalf("prediction %d is %q: %v, %s", i, lines.Text(), lines.Err(), stderr)
		}
		if i == n/2 || i == n-1 {
			kB := peak(t, cmd.Process.Pid)
			if i == n-1 && kB > max(most+most/3, slack) {
				t.Errorf("the memory that %d rows took at most is %d kB, that of half of them %d kB", n, kB, most)
			}
			most = kB
		}
	}
	in.Close() // now, as a process that has ended has no memory to look at
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
}

// headless omits the first line, and stays open.
type headless struct {
	w     io.Writer
	begun bool
}

func (h *headless) Write(b []byte) (int, error) {
	n := len(b)
	if !h.begun {
		h.begun = true
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	_, err := h.w.Write(b)
	return n, err
}

func (h *headless) Close() error { return nil }

// peak returns the peak memory of a process, in kB; 0 if the system does not report it.
func peak(t *testing.T, pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Logf("memory is not looked at: %v", err)
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kB, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kB
		}
	}
	return 0
}

// TestPredictStreamBreaksOff: the reader of the output stops, the disk is full, and a Ctrl-C.
func TestPredictStreamBreaksOff(t *testing.T) {
	start := func(out *os.File) (*exec.Cmd, *bytes.Buffer) {
		cmd, stderr := predictStream(t, "--by-position")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out.Close()
		go rows(in, 1<<40)
		return cmd, stderr
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd, stderr := start(write)
	if !bufio.NewScanner(read).Scan() {
		t.Error("no prediction came")
	}
	read.Close()
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitPipe || stderr.Len() > 0 {
		t.Errorf("a closed pipe: exit code %d, %s", cmd.ProcessState.ExitCode(), stderr)
	}

	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		cmd, stderr = start(full)
		if cmd.Wait(); cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(stderr.String(), "standard output") ||
			!strings.Contains(stderr.String(), "no space left") {
			t.Errorf("a full disk: exit code %d, %s", cmd.ProcessState.ExitCode(), stderr)
		}
	}

	if read, write, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd, stderr = start(write)
	s := bufio.NewScanner(read)
	s.Scan()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for s.Scan() {
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(stderr.String(), "interrupted: ") ||
		strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("interrupted: exit code %d, %s", cmd.ProcessState.ExitCode(), stderr)
	}
}

// TestEvaluateStream: evaluation and score of many rows from standard input, in pieces, equal those of the file.
func TestEvaluateStream(t *testing.T) {
	model, err := filepath.Abs(filepath.Join("..", "..", "testdata", "oracle", "nets", "mlp-sgd", "model.zip"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var text bytes.Buffer
	const n = 3*distributed.PieceRows + 17
	for i := range n {
		fmt.Fprintf(&text, "0.%d,0.25,-0.%d,0.75,%d\n", i%1000, i%7, i%3)
	}
	if err := os.WriteFile(filepath.Join(dir, "rows.csv"), text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(in []byte, flags ...string) (last struct {
		Examples int
		Score    float64
	}) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Args = append([]string{"dl4go", flags[0], "--model", model, "--master", "local[2]", "--json"}, flags[1:]...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", flags, err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Examples != n {
			t.Errorf("%v ended with %+v, %v", flags, last, err)
		}
		return last
	}
	whole, streamed := run(nil, "score", "--data", "csv:rows.csv?classes=3"), run(text.Bytes(), "score", "--data",
		"csv:-?classes=3")
	if !near.Equal(whole.Score, streamed.Score, 1e-12*whole.Score, 0) {
		t.Errorf("the score of a stream is %v, that of the file %v", streamed.Score, whole.Score)
	}
	run(nil, "evaluate", "--types", "classification,roc-multiclass", "--threshold-steps", "50", "--save", "file.json",
		"--data", "csv:rows.csv?classes=3")
	run(text.Bytes(), "evaluate", "--types", "classification,roc-multiclass", "--threshold-steps", "50", "--save",
		"stream.json", "--data", "csv:-?classes=3")
	for _, kind := range []string{"classification", "roc-multiclass"} {
		a, err := os.ReadFile(filepath.Join(dir, "file."+kind+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "stream."+kind+".json")); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s of a stream is another one, %v", kind, err)
		}
	}
}
