package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn"
)

// TestInterruptEarlyStopping: after the signal of a Ctrl-C the best network and the latest one are there, and are said.
// From its checkpoint, in the midst of an epoch, the run goes on to the networks of one that was not disturbed.
func TestInterruptEarlyStopping(t *testing.T) {
	for _, training := range []string{"averaging", "sharing", "plain"} {
		t.Run(training, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Args = []string{"dl4go", "train", "--json", "--epochs", "1000000", "--training", training, "--early-stopping", "metric=accuracy", "--model", "mlp",
				"--checkpoint", "run", "--checkpoint-every", "1ms"}
			cmd.Dir = dir
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var last struct {
				Event, Model, Latest string
				Epoch, Iteration     int
				Best                 bool
			}
			best, sent := 0, false
			for s := bufio.NewScanner(out); s.Scan(); {
				last.Best = false
				if err := json.Unmarshal(s.Bytes(), &last); err != nil {
					t.Fatal(err)
				}
				if last.Best {
					best = last.Epoch
				}
				if last.Event == "progress" && last.Epoch > 1 && !sent {
					sent = true
					if err := cmd.Process.Signal(os.Interrupt); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
				t.Errorf("%v, not exit code %d: %s", err, exitInterrupted, stderr.String())
			}
			if last.Event != "interrupted" || last.Model != "model.zip" || last.Latest != "model-latest.zip" ||
				!strings.Contains(stderr.String(), "the best; dl4go train --resume run goes on") || !strings.Contains(stderr.String(), "; model-latest.zip holds the latest network") {
				t.Errorf("ended with %+v and %q", last, stderr.String())
			}
			for file, epoch := range map[string]int{last.Model: best, last.Latest: last.Epoch} {
				net, err := nn.Load(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				if net.Epoch() != epoch || file == last.Latest && net.Iteration() != last.Iteration {
					t.Errorf("%s is of epoch %d, iteration %d; told were %d and %+v", file, net.Epoch(), net.Iteration(), epoch, last)
				}
			}
			epochs := strconv.Itoa(last.Epoch + 3)
			trains(t, dir, "--resume", "run", "--epochs", epochs)
			if training == "sharing" { // which differs from run to run
				return
			}
			whole := t.TempDir()
			trains(t, whole, "--training", training, "--early-stopping", "metric=accuracy", "--model", "mlp", "--epochs", epochs)
			for _, file := range []string{last.Model, last.Latest} {
				a, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				if b, err := os.ReadFile(filepath.Join(whole, file)); err != nil || !bytes.Equal(a, b) {
					t.Errorf("%s differs from that of a run of %s epochs at once: %v", file, epochs, err)
				}
			}
		})
	}
}

func trains(t *testing.T, dir string, flags ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = append([]string{"dl4go", "train"}, flags...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
