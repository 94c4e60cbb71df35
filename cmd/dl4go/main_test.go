package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/tensor"
)

func TestMain(m *testing.M) {
	engine.Main() // Spark gives its workers' program another name
	testscript.Main(m, programs)
}

// programs are the programs that scripts can start.
var programs = map[string]func(){"dl4go": func() {
	if os.Getenv(installedVariable) != "" {
		os.Args = installed(os.Args)
	}
	main()
}}

// installedVariable has the commands of a script leave their program where it is.
const installedVariable = "DL4GO_TEST_INSTALLED"

// installed adds to a command for Spark that its program already lies on the executors, which the tests have on this
// machine. Sending it takes longer than most of the commands' work: TestSparkScripts does it.
func installed(args []string) []string {
	on := func(arg string) bool { return strings.HasPrefix(arg, "sc://") }
	self, err := os.Executable()
	if err != nil || !slices.ContainsFunc(args, on) {
		return args
	}
	return append(slices.Clip(args), "--worker-binary", runtime.GOOS+"/"+runtime.GOARCH+"=file://"+self)
}

// sameCollector has the garbage collector of a script's programs run as often as that of the tests. The environment of
// scripts has no GOGC.
func sameCollector(e *testscript.Env) { e.Setenv("GOGC", os.Getenv("GOGC")) }

// TestScripts runs testdata/script. Its commands, beside testscript's own:
//
//	exits CODE dl4go ARGS…                  dl4go ends with this code and a one-line reason after "dl4go: "
//	done FIELD [< | > | =] VALUE            checks the last line of the last command's --json
//	dataset FILE ROWS COLUMNS CLASSES [nan] a saved DataSet; its last row may have a NaN in the last column
//	configuration FILE [RATE]               2 inputs, 2 classes; the default rate is 1e30 from the second epoch on
//	young                                   creates the directory of a run that began now
//	fits MODEL CASE                         the model's parameters are the oracle case's after 5 fits
//	ask LOG PATH BODY REGEXP                the server that logs there responds like this
//	outputs FILE.npy CASE                   the array is the oracle case's output
func TestScripts(t *testing.T) {
	oracle, err := filepath.Abs(filepath.Join("..", "..", "testdata", "oracle", "nets"))
	if err != nil {
		t.Fatal(err)
	}
	samples, err := filepath.Abs(filepath.Join("..", "..", "data", "source", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: false,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ORACLE", oracle)
			e.Setenv("DATA", samples)
			e.Setenv("TMPDIR", e.Cd)
			sameCollector(e)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
			"young": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.Mkdir(ts.MkAbs(engine.RunName(time.Now())), 0o777))
			},
			"done":          done,
			"quiet":         quiet,
			"ask":           askServer(t),
			"dataset":       saveDataset,
			"configuration": saveConfiguration,
			"fits": func(ts *testscript.TestScript, _ bool, args []string) {
				net, err := nn.Load(t.Context(), ts.MkAbs(args[0]))
				ts.Check(err)
				want := floats(ts, filepath.Join(oracle, args[1], "params_after_5.f32"))
				ts.Check(near.All(net.Params(), want, 1e-4, 3e-3))
				if net.Iteration() != 5 || net.Epoch() != 0 {
					ts.Fatalf("iteration %d and epoch %d, not 5 and 0", net.Iteration(), net.Epoch())
				}
			},
			"outputs": func(ts *testscript.TestScript, _ bool, args []string) {
				b, err := os.ReadFile(ts.MkAbs(args[0]))
				ts.Check(err)
				want := filepath.Join(oracle, args[1], "output.f32")
				if _, err := os.Stat(want); err != nil {
					want = filepath.Join(oracle, args[1], "output_0.f32") // of a graph
				}
				ts.Check(near.All(numbers(ts, b[bytes.IndexByte(b, '\n')+1:]), floats(ts, want), 1e-5, 1e-4))
			},
		},
	})
}

// meanwhile matches the lines that a slow machine prints: progress, waiting for slots and workers, workers that are
// silent or late to end, connections whose other side is late, and the end of a worker's link before its failure
// arrives.
var meanwhile = regexp.MustCompile(`(?m)^([^:\n]*(  [0-9,.kMGB ]+ of [0-9,.kMGB ]+ (tasks|sent)| examples/s)|dl4go: warning: (waiting for a slot|workers had to be ended|a job has ended while its tasks still run|an operation does not heed|a connection was refused.*there is no answer|(parameter averaging|gradient sharing): (fewer workers came|a worker (is|was) lost|.* no progress for))).*\n`)

// quiet fails if standard error has anything else.
func quiet(ts *testscript.TestScript, _ bool, _ []string) {
	if stderr := meanwhile.ReplaceAllString(ts.ReadFile("stderr"), ""); stderr != "" {
		ts.Fatalf("standard error is not empty: %s", stderr)
	}
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		code = e.ExitCode()
	}
	stderr := ts.ReadFile("stderr")
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, not %s", code, args[0])
	}
	stderr = meanwhile.ReplaceAllString(stderr, "")
	if strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "dl4go: ") {
		ts.Fatalf("standard error is not one line of dl4go")
	}
}

func lastEvent(ts *testscript.TestScript) map[string]any {
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	var e map[string]any
	for _, l := range lines {
		e = nil
		ts.Check(json.Unmarshal([]byte(l), &e))
	}
	if e["event"] != "done" {
		ts.Fatalf("the last event is %v, not done", e["event"])
	}
	return e
}

func done(ts *testscript.TestScript, _ bool, args []string) {
	got, ok := lastEvent(ts)[args[0]]
	if !ok {
		ts.Fatalf("the last event has no %s", args[0])
	}
	if len(args) == 1 {
		return
	}
	x, number := got.(float64)
	want, err := strconv.ParseFloat(args[2], 64)
	right := fmt.Sprint(got) == args[2]
	if number && err == nil {
		right = map[string]bool{"<": x < want, ">": x > want, "=": near.Equal(x, want, 0, 1e-4)}[args[1]]
	}
	if !right {
		ts.Fatalf("%s is %v, not %s %s", args[0], got, args[1], args[2])
	}
}

func saveDataset(ts *testscript.TestScript, _ bool, args []string) {
	var n [3]int
	for i := range n {
		var err error
		n[i], err = strconv.Atoi(args[i+1])
		ts.Check(err)
	}
	d := &data.DataSet{Features: tensor.New(n[0], n[1]), Labels: tensor.New(n[0], n[2])}
	for i := range d.Features.Data {
		d.Features.Data[i] = float32(i%7) / 7
	}
	for i := range n[0] {
		d.Labels.Data[i*n[2]+i%n[2]] = 1
	}
	if len(args) > 4 {
		d.Features.Data[len(d.Features.Data)-1] = float32(math.NaN())
	}
	ts.Check(d.Multi().SaveFile(context.Background(), ts.MkAbs(args[0])))
}

func saveConfiguration(ts *testscript.TestScript, _ bool, args []string) {
	by := updater.NewSgd()
	if len(args) == 1 {
		by.LearningRateSchedule = updater.MapSchedule{Type: updater.Epoch, Values: updater.ScheduleValues{0: 0.1, 1: 1e30}}
	} else {
		rate, err := strconv.ParseFloat(args[1], 64)
		ts.Check(err)
		by.LearningRate = rate
	}
	net, err := nn.New(nn.Configuration{
		Updater: by,
		Layers: []layer.Layer{
			layer.Dense{NIn: 2, NOut: 4, Activation: activation.Identity{}},
			layer.Output{NOut: 2, NIn: 4, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()},
		},
	})
	ts.Check(err)
	text, err := net.Configuration()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o666))
}

func floats(ts *testscript.TestScript, path string) []float32 {
	b, err := os.ReadFile(path)
	ts.Check(err)
	return numbers(ts, b)
}

func numbers(ts *testscript.TestScript, b []byte) []float32 {
	x := make([]float32, len(b)/4)
	ts.Check(binary.Read(bytes.NewReader(b), binary.LittleEndian, x))
	return x
}

// TestInterrupt sends the signal of a Ctrl-C to a training run in its second epoch.
func TestInterrupt(t *testing.T) {
	for _, training := range []string{"averaging", "sharing", "plain"} {
		t.Run(training, func(t *testing.T) {
			dir := interruptTraining(t, "--training", training)
			if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
				t.Errorf("left behind: %v, %v", files, err)
			}
		})
	}
}

// interruptTraining trains without an end, with these flags, in a separate directory, and interrupts the run in the
// second epoch. It checks that the model is that of the last complete step.
func interruptTraining(t *testing.T, flags ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = append([]string{"dl4go", "train", "--json", "--epochs", "1000000"}, flags...)
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
		Event, Model     string
		Epoch, Iteration int
	}
	sent := false
	for s := bufio.NewScanner(out); s.Scan(); {
		if err := json.Unmarshal(s.Bytes(), &last); err != nil {
			t.Fatal(err)
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
	said := meanwhile.ReplaceAllString(stderr.String(), "")
	if last.Event != "interrupted" || last.Model != "model.zip" || strings.Count(said, "\n") != 1 ||
		!strings.Contains(said, "interrupted: model.zip holds the network") {
		t.Errorf("ended with %+v and %q", last, stderr.String())
	}
	net, err := nn.Load(t.Context(), filepath.Join(dir, "model.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if net.Epoch() < 1 || net.Epoch() != last.Epoch || net.Iteration() != last.Iteration {
		t.Errorf("the model is of epoch %d, iteration %d; told were %+v", net.Epoch(), net.Iteration(), last)
	}
	return dir
}
