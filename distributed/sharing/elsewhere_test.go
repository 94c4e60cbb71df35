package sharing

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// roleVariable makes this program run a coordinator, or a driver, instead of its tests.
const (
	roleVariable = "SHARING_TEST_ROLE"
	keysVariable = "SHARING_TEST_KEYS"
)

// playRole plays the role that the environment names, if any, and exits.
func playRole() {
	role := map[string]func(keys string) error{"coordinator": coordinate, "client": trainForever}[os.Getenv(roleVariable)]
	if role == nil {
		return
	}
	engine.Main() // because TestMain doesn't get there
	if err := role(os.Getenv(keysVariable)); err != nil {
		os.Stdout.WriteString("failed: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

// coordinate runs coordinators until the process is killed.
func coordinate(keys string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s, err := resident.NewServer(l, resident.ServerOptions{})
	if err == nil {
		err = s.Keys().Write(keys)
	}
	if err != nil {
		return err
	}
	os.Stdout.WriteString("ready\n")
	s.Run(context.Background())
	return nil
}

// trainForever prints that it trains and trains with two worker processes until the process is killed.
func trainForever(keys string) error {
	s, err := source.Digits("train")
	if err != nil {
		return err
	}
	e, err := engine.Open(context.Background(), "processes[2]", engine.Options{Threads: 1})
	if err != nil {
		return err
	}
	data, err := distributed.FromSource(e, s, 2)
	if err != nil {
		return err
	}
	c, err := nn.BuiltIn("mlp", nn.BuiltInData{Input: inputtype.ConvolutionalFlat(8, 8, 1), Classes: 10}, 3)
	if err != nil {
		return err
	}
	net, err := nn.New(c)
	if err != nil {
		return err
	}
	net.Init(3)
	m, err := New(config(), Options{Coordinator: keys, Timing: steady()})
	if err != nil {
		return err
	}
	said := false
	return m.FitEpochs(context.Background(), net, data, 1_000_000, func(distributed.Round) {
		if !said {
			said = true
			os.Stdout.WriteString("ready\n")
		}
	})
}

// start starts this program in a role and returns when it is ready.
func start(t *testing.T, role, keys string, env ...string) *os.Process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	// A killed process leaves its run's directory.
	cmd.Env = append(append(os.Environ(), roleVariable+"="+role, keysVariable+"="+keys, "TMPDIR="+t.TempDir()), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "ready\n" {
		t.Fatalf("the %s says %q, %v", role, line, err)
	}
	return cmd.Process
}

// TestCoordinatorKilled checks that the driver reports at once that its coordinator is gone, and leaves no worker.
func TestCoordinatorKilled(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys")
	coordinator := start(t, "coordinator", keys)
	net := network(t, "mlp", 3)
	m := master(t, config(), Options{MinWorkers: 2, Coordinator: keys})
	killed := false
	err := m.FitEpochs(t.Context(), net, spread(t, open(t, "processes[2]"), 0), 1_000_000, func(distributed.Round) {
		if !killed {
			killed = true
			coordinator.Kill()
		}
	})
	if err == nil || !strings.Contains(err.Error(), "the link to dl4go coordinator at 127.0.0.1") ||
		strings.Contains(err.Error(), "nothing was heard") {
		t.Errorf("the fit ended with %v", err)
	}
	if err := net.CheckParams(); err != nil || net.Iteration() != 0 {
		t.Errorf("the network is at iteration %d: %v", net.Iteration(), err)
	}
}

// TestClientKilled kills a driver. Its coordinator must have room again, and other jobs must run.
func TestClientKilled(t *testing.T) {
	keys, _ := hosting(t, resident.ServerOptions{Jobs: 1})
	client := start(t, "client", keys)
	fit := func() error {
		m := master(t, config(), Options{Coordinator: keys})
		return m.FitEpochs(t.Context(), network(t, "mlp", 3), spread(t, open(t, "local[2]"), 0), 1, nil)
	}
	if err := fit(); err == nil || !strings.Contains(err.Error(), "as many as it may have") {
		t.Fatalf("a second job: %v", err)
	}
	if err := client.Kill(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "room for a job after the client was killed", func() (any, bool) {
		err := fit()
		return err, err == nil
	})
}
