package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/checkpoint"
	"github.com/dl4go/dl4go/internal/flagvalues"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/need"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/train"
)

// trainEvent is a line of train's --json.
type trainEvent struct {
	Event, Checkpoint          string
	Epoch, Iteration, Examples int
	Accuracy                   float64
}

// trainIn runs dl4go train in a directory, and returns the events. It sends the first signal that stop returns; killed
// reports whether it did.
func trainIn(t *testing.T, dir string, stop func(trainEvent) os.Signal, flags ...string) (all []trainEvent,
	killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = append([]string{"dl4go", "train", "--json"}, flags...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(out); s.Scan(); {
		var e trainEvent
		if err := json.Unmarshal(s.Bytes(), &e); err != nil {
			t.Errorf("%q: %v", s.Text(), err)
		}
		all = append(all, e)
		if stop == nil || killed {
			continue
		}
		if signal := stop(e); signal != nil {
			killed = true
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil && !killed {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.String())
	}
	return all, killed
}

// smallNetwork writes the configuration of a network with everything that could cause differences: batch
// normalisation, dropout, Adam, a rate that falls with each epoch. Its checkpoints are written in no time.
func smallNetwork(t *testing.T, path string) {
	t.Helper()
	adam := updater.NewAdam()
	adam.LearningRateSchedule = updater.InverseSchedule{Type: updater.Epoch, InitialValue: 1e-3, Gamma: 0.07, Power: 2}
	net, err := nn.New(nn.Configuration{
		Seed: 1, Updater: adam, Activation: activation.ReLU{}, InputType: inputtype.ConvolutionalFlat(8, 8, 1),
		Layers: []layer.Layer{
			layer.Convolution2D{NOut: 8, Kernel: [2]int{3, 3}},
			layer.NewBatchNormalization(),
			layer.Dense{Base: layer.Base{Dropout: regularization.NewDropout(0.8)}, NOut: 32},
			layer.Output{NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := net.Configuration()
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sequences writes a network that cuts sequences into 3 segments, and data for it.
func sequences(t *testing.T, network, path string) {
	t.Helper()
	net, err := nn.New(nn.Configuration{
		Seed: 1, Updater: updater.NewAdam(), InputType: inputtype.Recurrent(2, 0), BackpropType: nn.TruncatedBPTT,
		TBPTTForwardLength: 3, TBPTTBackLength: 3,
		Layers: []layer.Layer{layer.NewLSTM(3), layer.RnnOutput{NOut: 2, Activation: activation.Softmax{},
			Loss: loss.NewMCXENT()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := net.Configuration()
	if err == nil {
		err = os.WriteFile(network, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	const examples, steps = 320, 7
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(examples, 2, steps)},
		Labels: []*tensor.Dense{tensor.New(examples, 2, steps)}}
	for i := range m.Features[0].Data {
		m.Features[0].Data[i] = float32(i%11)/11 - float32(i%7)/7
	}
	for i := range examples {
		for k := range steps {
			m.Labels[0].Data[2*steps*i+i%3%2*steps+k] = 1
		}
	}
	if err := m.SaveFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
}

// inEpoch stops a run at the event of a checkpoint in an epoch: by then the run has trained more.
func inEpoch(by os.Signal) func(trainEvent) os.Signal {
	return func(e trainEvent) os.Signal {
		if e.Event == "checkpoint" && e.Examples > 0 {
			return by
		}
		return nil
	}
}

// inWrite stops a run after two checkpoints, wherever it is: another one may be half written.
func inWrite(by os.Signal) func(trainEvent) os.Signal {
	n := 0
	return func(e trainEvent) os.Signal {
		if e.Event == "checkpoint" {
			n++
		}
		if n == 2 {
			return by
		}
		return nil
	}
}

// TestResumeAfterKill kills a run three times, and resumes it each time, at last on another engine. The model is
// byte-identical to that of an uninterrupted run.
func TestResumeAfterKill(t *testing.T) {
	need.Time(t, "it trains many times")
	for name, flags := range map[string][]string{
		"plain":            {"--training", "plain"},
		"plain iterations": {"--training", "plain", "--iterations", "2000"},
		"averaging":        {"--master", "local[2]"},
		"iterations":       {"--iterations", "1000", "--averaging-frequency", "3"},
		"outer":            {"--master", "local[2]", "--outer", "nesterov", "--averaging-frequency", "3"},
		"processes":        {"--master", "processes[2]"},
		"truncated": {"--iterations", "1000", "--averaging-frequency", "3", "--model", "sequences.json", "--data",
			"dl4j:sequences.bin"},
		"export": {"--approach", "export", "--aggregation-depth", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			resumesAfterKill(t, "", flags)
		})
	}
}

// resumesAfterKill tests it with checkpoints in a URL's directory, or if url is empty in a directory of this machine.
func resumesAfterKill(t *testing.T, url string, flags []string) {
	dir := t.TempDir()
	at, checkpoints := "run", filepath.Join(dir, "run")
	next, ends := []string{"--checkpoint-every", "1ms"}, slices.Contains(flags, "--iterations")
	if url != "" {
		at, checkpoints, next = url, url, append(next, "--checkpoint-lease", "1h")
	}
	resume := append([]string{"--resume", at}, next...)
	smallNetwork(t, filepath.Join(dir, "small.json"))
	sequences(t, filepath.Join(dir, "sequences.json"), filepath.Join(dir, "sequences.bin"))
	if flags = append(flags, "--batch", "8"); !slices.Contains(flags, "--model") {
		flags = append(flags, "--model", "small.json")
	}
	next = append(append(slices.Clone(flags), "--save", "got.zip", "--checkpoint", at), next...)
	if !ends {
		next = append(next, "--epochs", "1000000")
	}
	for i, stop := range []func(trainEvent) os.Signal{inEpoch(os.Kill), inWrite(os.Kill), inEpoch(os.Kill)} {
		if _, killed := trainIn(t, dir, stop, next...); !killed && !ends {
			t.Fatalf("run %d has ended", i)
		} // on a slow disk, the iterations may end before there is a checkpoint
		next = slices.Clone(resume)
	}
	if !ends {
		n := fmt.Sprint(lastRecord(t, checkpoints).Epochs + 1)
		next, flags = append(next, "--epochs", n), append(flags, "--epochs", n)
	}
	if !slices.Contains(flags, "plain") {
		next = append(next, "--master", map[bool]string{true: "local[3]", false: "processes[2]"}[slices.Contains(flags,
			"processes[2]")])
	}
	got, _ := trainIn(t, dir, nil, next...)
	want, _ := trainIn(t, dir, nil, append(flags, "--save", "want.zip")...)
	same(t, filepath.Join(dir, "want.zip"), filepath.Join(dir, "got.zip"))
	if a, b := want[len(want)-1], got[len(got)-1]; a.Examples != b.Examples || a.Iteration != b.Iteration ||
		a.Accuracy != b.Accuracy {
		t.Errorf("without a break the run ended with %+v, with some with %+v", a, b)
	}
}

// lastRecord returns the record of the last checkpoint.
func lastRecord(t *testing.T, dir string) (r struct{ Epochs int }) {
	t.Helper()
	d, err := checkpoint.Open(t.Context(), dir, checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(t.Context())
	if _, _, err := d.Last(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestResumeSharing kills a run of gradient sharing twice in an epoch. According to the checkpoints, each example of
// each epoch is trained once.
func TestResumeSharing(t *testing.T) {
	need.Time(t, "it trains many times")
	for _, master := range []string{"local[2]", "processes[2]"} {
		t.Run(master, func(t *testing.T) {
			resumesSharing(t, "", master)
		})
	}
}

// slowSharing writes settings of gradient sharing with which an epoch takes longer than the request for a checkpoint
// in it. Without them, a fast machine might never make one.
func slowSharing(t *testing.T, path string) {
	t.Helper()
	settings := `{"debugLongerIterations": 10, "rddTrainingApproach": "Direct"}`
	if err := os.WriteFile(path, []byte(settings), 0o666); err != nil {
		t.Fatal(err)
	}
}

// resumesSharing tests it with checkpoints in a URL's directory, or if url is empty in a directory of this machine.
func resumesSharing(t *testing.T, url, master string) {
	dir := t.TempDir()
	at, checkpoints := "run", filepath.Join(dir, "run")
	resume := []string{"--checkpoint-every", "1ms"}
	if url != "" {
		at, checkpoints, resume = url, url, append(resume, "--checkpoint-lease", "1h")
	}
	smallNetwork(t, filepath.Join(dir, "small.json"))
	slowSharing(t, filepath.Join(dir, "slow.json"))
	next := append([]string{"--training", "sharing", "--model", "small.json", "--master", master, "--epochs", "1000000",
		"--sharing-config", "slow.json",
		"--checkpoint", at}, resume...)
	resume = append(resume, "--resume", at)
	for i := range 2 {
		if _, killed := trainIn(t, dir, inEpoch(os.Kill), next...); !killed {
			t.Fatalf("run %d has ended", i)
		}
		next = resume
	}
	n := max(5, lastRecord(t, checkpoints).Epochs+1)
	all, _ := trainIn(t, dir, nil, append(next, "--epochs", fmt.Sprint(n))...)
	if last := all[len(all)-1]; last.Examples != n*1497 || last.Iteration != n*47 {
		t.Errorf("%d epochs ended with %+v", n, last)
	}
	for _, e := range all {
		if e.Event == "epoch" && e.Examples != 1497 {
			t.Errorf("epoch %d had %d examples", e.Epoch, e.Examples)
		}
	}
}

// TestInterruptNamesTheCheckpoint: a Ctrl-C leaves a model and a checkpoint to continue from.
func TestInterruptNamesTheCheckpoint(t *testing.T) {
	dir := t.TempDir()
	smallNetwork(t, filepath.Join(dir, "small.json"))
	all, _ := trainIn(t, dir, inEpoch(os.Interrupt), "--model", "small.json", "--epochs", "1000000", "--checkpoint", "run",
		"--checkpoint-every", "1ms")
	if last := all[len(all)-1]; last.Event != "interrupted" || last.Checkpoint != "run" {
		t.Fatalf("ended with %+v", last)
	}
	if _, err := os.Stat(filepath.Join(dir, "model.zip")); err != nil {
		t.Error(err)
	}
	n := lastRecord(t, filepath.Join(dir, "run")).Epochs + 1
	all, _ = trainIn(t, dir, nil, "--resume", "run", "--epochs", fmt.Sprint(n))
	if last := all[len(all)-1]; last.Event != "done" || last.Examples != n*1497 {
		t.Errorf("%d epochs ended with %+v", n, last)
	}
}

// TestTokensAreNotKept: a master with a token is not stored in the checkpoint, and is required when the run is
// resumed.
func TestTokensAreNotKept(t *testing.T) {
	const secret = "sc://host:15002/;token=s3cr3t"
	cmd := trainCommand()
	if err := cmd.ParseFlags([]string{"--master", secret, "--data", "digits"}); err != nil {
		t.Fatal(err)
	}
	run := newTraining(&trainFlags{}, nil)
	run.Master = secret
	notes := run.notes(cmd.Flags())
	text, err := json.Marshal(notes)
	if err != nil || strings.Contains(string(text), "s3cr3t") || notes.Values["data"] == nil {
		t.Fatalf("kept is %s, %v", text, err)
	}
	net, err := modelfile.Open(t.Context(), "softmax", source.Info{Features: []tensor.Shape{{2}},
		Labels: []tensor.Shape{{2}}, Classes: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	model, err := net.Entries(nn.SaveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	d, err := checkpoint.Create(t.Context(), dir, checkpoint.Options{})
	if err == nil {
		err = errors.Join(d.Keep(t.Context(), map[string]any{"version": 2, "flags": notes.Values, "secret": notes.Secret},
			model), d.Close(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := train.Resume(t.Context(), dir, train.Claim{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := flagvalues.Restore(r.Dir(), keptOf(r), trainCommand().Flags(), fixed()); err == nil ||
		!strings.Contains(err.Error(), "--master must be given again") {
		t.Errorf("got the error %v", err)
	}
}

// TestCheckpointsOfBefore: for checkpoints of another version, with old names, the error tells what to do.
func TestCheckpointsOfBefore(t *testing.T) {
	dir := t.TempDir()
	d, err := checkpoint.Create(t.Context(), dir, checkpoint.Options{})
	if err == nil {
		err = errors.Join(d.Keep(t.Context(), map[string]any{"version": 1}, nil), d.Close(t.Context()),
			os.Rename(filepath.Join(dir, "checkpoint-000001-000001.zip"), filepath.Join(dir, "checkpoint-000001.zip")))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = []string{"dl4go", "train", "--resume", dir}
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"--resume " + dir, "of version 1", "a model for --model"} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s, %v, without %q", out, err, want)
		}
	}
}

// TestResumeAfterTheCoordinatorIsKilled kills the coordinator, a separate process, during a run. The run's error tells
// how to resume it. With another coordinator it is resumed; with averaging, the final model is byte-identical to that
// of an uninterrupted run.
func TestResumeAfterTheCoordinatorIsKilled(t *testing.T) {
	for _, training := range []string{"averaging", "sharing"} {
		t.Run(training, func(t *testing.T) {
			dir := t.TempDir()
			smallNetwork(t, filepath.Join(dir, "small.json"))
			flags := []string{"--training", training, "--model", "small.json", "--batch", "8", "--master", "processes[2]"}
			if training == "sharing" {
				slowSharing(t, filepath.Join(dir, "slow.json"))
				flags = append(flags, "--sharing-config", "slow.json")
			}
			coordinator := startCoordinator(t, dir)
			_, killed := trainIn(t, dir, func(e trainEvent) os.Signal {
				if s := inEpoch(os.Kill)(e); s == nil {
					return nil
				}
				if err := coordinator.Process.Kill(); err != nil {
					t.Error(err)
				}
				return syscall.Signal(0) // the run should end by itself
			}, append(slices.Clone(flags), "--epochs", "1000000", "--coordinator", "keys.json", "--checkpoint", "run",
				"--checkpoint-every", "1ms", "--save", "got.zip")...)
			if !killed {
				t.Fatal("the run ended before its coordinator")
			}
			n := fmt.Sprint(lastRecord(t, filepath.Join(dir, "run")).Epochs + 1)
			startCoordinator(t, dir)
			got, _ := trainIn(t, dir, nil, "--resume", "run", "--epochs", n)
			want, _ := trainIn(t, dir, nil, append(flags, "--epochs", n, "--save", "want.zip")...)
			if a, b := want[len(want)-1], got[len(got)-1]; a.Examples != b.Examples || a.Iteration != b.Iteration {
				t.Errorf("without a break the run ended with %+v, with one with %+v", a, b)
			}
			if training == "averaging" {
				same(t, filepath.Join(dir, "want.zip"), filepath.Join(dir, "got.zip"))
			}
		})
	}
}

// startCoordinator runs dl4go coordinator until the test ends, and waits for its keys.
func startCoordinator(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	keys := filepath.Join(dir, "keys.json")
	if err := os.RemoveAll(keys); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = []string{"dl4go", "coordinator", "--listen", "127.0.0.1:0", "--credentials", keys}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the coordinator said %q, %v", line, err)
	}
	if _, err := os.Stat(keys); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// same checks that two files have the same bytes.
func same(t *testing.T, want, got string) {
	t.Helper()
	a, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("the model of the run that was broken off is another one")
	}
}
