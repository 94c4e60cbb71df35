package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
)

// TestInterruptEarlyStopping: after a Ctrl-C the best and the latest network exist, and are named. Resumed from its
// checkpoint, in the middle of an epoch, the run ends with the networks of an undisturbed one.
func TestInterruptEarlyStopping(t *testing.T) {
	for _, training := range []string{"averaging", "sharing", "plain"} {
		t.Run(training, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Args = []string{"dl4go", "train", "--json", "--epochs", "1000000", "--training", training, "--early-stopping",
				"metric=accuracy", "--model", "mlp",
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
				!strings.Contains(stderr.String(), "the best; dl4go train --resume run goes on") ||
				!strings.Contains(stderr.String(), "; model-latest.zip holds the latest network") {
				t.Errorf("ended with %+v and %q", last, stderr.String())
			}
			for file, epoch := range map[string]int{last.Model: best, last.Latest: last.Epoch} {
				net, err := nn.Load(t.Context(), filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				if net.Epoch() != epoch || file == last.Latest && net.Iteration() != last.Iteration {
					t.Errorf("%s is of epoch %d, iteration %d; told were %d and %+v", file, net.Epoch(), net.Iteration(), epoch, last)
				}
			}
			epochs := strconv.Itoa(last.Epoch + 3)
			trains(t, dir, "--resume", "run", "--epochs", epochs)
			if training == "sharing" { // it differs from run to run
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

// TestEarlyStoppingByReconstruction: the best score equals the saved network's score, computed again.
func TestEarlyStoppingByReconstruction(t *testing.T) {
	oracle, err := filepath.Abs(filepath.Join("..", "..", "testdata", "oracle", "nets", "vae-bernoulli"))
	if err != nil {
		t.Fatal(err)
	}
	spec := "dl4j:" + filepath.Join(oracle, "dataset.bin")
	e, err := engine.Open(t.Context(), "local[2]", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	held, err := source.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	d, err := distributed.FromSource(e, held, 0)
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range []struct {
		settings string
		earlystopping.Calculator
	}{
		{"metric=reconstruction-mse", earlystopping.Reconstruction{Data: d, Metric: earlystopping.MSE}},
		{"metric=reconstruction-r2,layer=layer0", earlystopping.Reconstruction{Data: d, Metric: earlystopping.R2}},
		{"metric=reconstruction-probability,samples=3", earlystopping.ReconstructionProbability{Data: d, Samples: 3,
			Seed: modelfile.DefaultSeed}},
		{"metric=reconstruction-log-probability,layer=0,patience=2,latest=l",
			earlystopping.ReconstructionProbability{Data: d, Samples: 16, LogProb: true, Seed: modelfile.DefaultSeed}},
	} {
		for i, training := range []string{"plain", "averaging", "sharing"} {
			if testing.Short() && k%3 != i { // each one, but not with each metric
				continue
			}
			flags := []string{"train", "--json", "--training", training, "--model", filepath.Join(oracle, "model.zip"), "--data",
				spec, "--test", spec, "--epochs", "3", "--batch", "2",
				"--early-stopping", c.settings, "--save", filepath.Join(t.TempDir(), "best.zip")}
			if training == "plain" {
				flags = append(flags, "--pretrain", "2")
			} else {
				flags = append(flags, "--master", "processes[2]")
			}
			t.Chdir(t.TempDir())
			lines := strings.Split(strings.TrimSpace(dl4go(t, flags...)), "\n")
			var last struct {
				Event, Model string
				BestScore    float64
			}
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
				t.Fatal(err)
			}
			net, err := nn.LoadNetwork(t.Context(), last.Model)
			if err != nil {
				t.Fatal(err)
			}
			score, err := c.Score(t.Context(), distributed.New(e, net, nil, distributed.Options{}))
			if err != nil || !near.Equal(score, last.BestScore, 1e-12*math.Abs(score), 0) {
				t.Errorf("%s, %s: the best score is %v, that of the saved network %v, %v", c.settings, training, last.BestScore,
					score, err)
			}
		}
	}
}

// TestPretrainStopping: each autoencoder is pretrained until its score ends that. Training continues from the best
// epochs, as in a run that pretrains for exactly these.
func TestPretrainStopping(t *testing.T) {
	t.Chdir(t.TempDir())
	first, second := layer.NewAutoEncoder(8), layer.NewAutoEncoder(4)
	first.NIn, second.NIn = 64, 8
	out := layer.Output{NIn: 4, NOut: 10, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}
	model := func(updater updater.Updater, layers ...layer.Layer) {
		net, err := nn.New(nn.Configuration{Seed: 1, Updater: updater, Activation: activation.Sigmoid{}, Layers: layers})
		if err != nil {
			t.Fatal(err)
		}
		conf, err := net.Configuration()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("model.json", []byte(conf), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	train := func(save string, flags ...string) (ended []struct{ Epochs, BestEpoch int }) {
		lines := dl4go(t, append([]string{"train", "--json", "--training", "plain", "--model", "model.json", "--epochs", "1",
			"--save", save}, flags...)...)
		for line := range strings.Lines(lines) {
			var e struct {
				Event string
				Ended json.RawMessage
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			if e.Event == "pretrained" && e.Ended != nil {
				if err := json.Unmarshal(e.Ended, &ended); err != nil {
					t.Fatal(err)
				}
			}
		}
		return ended
	}
	out.NIn = 8
	model(updater.Sgd{LearningRate: 20}, first, out) // with too large a rate, later networks are worse
	ended := train("best.zip", "--pretrain-stopping", "patience=3")
	if len(ended) != 1 || ended[0].Epochs == ended[0].BestEpoch || ended[0].Epochs >= 100 {
		t.Fatalf("pretraining ended so: %+v", ended)
	}
	train("whole.zip", "--pretrain", strconv.Itoa(ended[0].BestEpoch))
	a, err := os.ReadFile("best.zip")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile("whole.zip"); err != nil || !bytes.Equal(a, b) {
		t.Errorf("the network differs from that of --pretrain %d: %v", ended[0].BestEpoch, err)
	}
	out.NIn = 4
	model(updater.NewAdam(), first, second, out)
	if ended := train("both.zip", "--pretrain-stopping", "best-score=0.06,metric=reconstruction-mse", "--pretrain",
		"20"); len(ended) != 2 || ended[0].Epochs == 20 || ended[1].Epochs == ended[0].Epochs {
		t.Errorf("both autoencoders: %+v", ended)
	}
}
