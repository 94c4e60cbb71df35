package sharing

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/resident"
)

// hosting starts a server of coordinators. It returns the file of its keys and a function that ends it.
func hosting(t *testing.T, o resident.ServerOptions) (keys string, end context.CancelCauseFunc) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := resident.NewServer(l, o)
	if err != nil {
		t.Fatal(err)
	}
	keys = filepath.Join(t.TempDir(), "keys")
	if err := s.Keys().Write(keys); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancelCause(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		end(errors.New("the test is over"))
		<-over
	})
	return keys, end
}

// TestCoordinatorElsewhere checks that a coordinator in another process gives the same result as one in this process.
func TestCoordinatorElsewhere(t *testing.T) {
	keys, _ := hosting(t, resident.ServerOptions{})
	if info, err := os.Stat(keys); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the keys: %v, %v", info.Mode(), err)
	}
	for _, c := range []struct {
		engine string
		mode   MeshBuildMode
	}{{"local[2]", Plain}, {"processes[2]", Plain}, {"processes[2]", Mesh}} {
		t.Run(c.engine+" "+string(c.mode), func(t *testing.T) {
			t.Parallel() // all jobs use one port
			conf := config()
			conf.VoidConfiguration.MeshBuildMode = c.mode
			net := network(t, "mlp", 3)
			var told []Progress
			m := master(t, conf, Options{MinWorkers: 2, Coordinator: keys, Listen: func(p Progress) { told = append(told, p) }})
			examples := 0
			listen := func(r distributed.Round) { examples += r.Examples }
			if err := m.FitEpochs(t.Context(), net, spread(t, open(t, c.engine), 0), 6, listen); err != nil {
				t.Fatal(err)
			}
			last := m.Last()
			if last.Updates != 6*94 || last.Workers != 2 || last.Messages == 0 || last.Sparsity == 0 ||
				last.CoordinatorSent == 0 {
				t.Errorf("the fit was %+v", last)
			}
			if !slices.Equal(net.Params(), usual(t)) {
				t.Error("the parameters are others than with a coordinator in this process")
			}
			if examples != 6*1497 || len(told) == 0 || told[len(told)-1].Workers != 2 {
				t.Errorf("%d examples were told of, and at last %+v", examples, told)
			}
		})
	}
}

// TestCoordinatorEnds ends a coordinator's process. Its drivers must learn the reason and get the parameters so far.
func TestCoordinatorEnds(t *testing.T) {
	keys, end := hosting(t, resident.ServerOptions{})
	net := network(t, "mlp", 3)
	before := slices.Clone(net.Params())
	m := master(t, config(), Options{MinWorkers: 2, Coordinator: keys})
	err := m.FitEpochs(t.Context(), net, spread(t, open(t, "processes[2]"), 0), 1000, func(r distributed.Round) {
		end(errors.New("the machine is to be switched off"))
	})
	if err == nil || !strings.Contains(err.Error(), "dl4go coordinator at 127.0.0.1") ||
		!strings.Contains(err.Error(), "switched off") {
		t.Errorf("the fit ended with %v", err)
	}
	if slices.Equal(net.Params(), before) || net.Iteration() == 0 {
		t.Errorf("the network has not what was trained: iteration %d", net.Iteration())
	}
}

// TestClientEnds checks that Ctrl-C in the driver leaves the parameters trained so far, as with a coordinator in this
// process.
func TestClientEnds(t *testing.T) {
	keys, _ := hosting(t, resident.ServerOptions{})
	net := network(t, "mlp", 3)
	before := slices.Clone(net.Params())
	m := master(t, config(), Options{MinWorkers: 2, Coordinator: keys})
	ctx, cancel := context.WithCancel(t.Context())
	err := m.FitEpochs(ctx, net, spread(t, open(t, "processes[2]"), 0), 1000, func(r distributed.Round) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the fit ended with %v", err)
	}
	if slices.Equal(net.Params(), before) || net.Iteration() == 0 {
		t.Errorf("the network has not what was trained: iteration %d", net.Iteration())
	}
}

// TestCoordinatorRefuses tests strangers, an address without a coordinator, and more jobs than there is room for.
func TestCoordinatorRefuses(t *testing.T) {
	keys, _ := hosting(t, resident.ServerOptions{Jobs: 1})
	other, _ := hosting(t, resident.ServerOptions{})
	e := open(t, "processes[2]")
	fit := func(keys string) error {
		m := master(t, config(), Options{Coordinator: keys})
		return m.FitEpochs(t.Context(), network(t, "mlp", 3), spread(t, e, 0), 1, nil)
	}
	k, err := resident.ReadKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	strange, err := resident.ReadKeys(other)
	if err != nil {
		t.Fatal(err)
	}
	strange.Address = k.Address
	if err := strange.Write(other); err != nil {
		t.Fatal(err)
	}
	if err := fit(other); err == nil || !strings.Contains(err.Error(), "keys") ||
		!strings.Contains(err.Error(), "proving who is who") {
		t.Errorf("with another coordinator's keys: %v", err)
	}
	if err := fit(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without keys: %v", err)
	}
	strange.Address = "127.0.0.1:1" // nothing else will listen there
	if err := strange.Write(other); err != nil {
		t.Fatal(err)
	}
	if err := fit(other); err == nil || !strings.Contains(err.Error(), "nobody listens there") {
		t.Errorf("where nobody listens: %v", err)
	}

	// A second job comes while the first one runs.
	began, release := make(chan struct{}), make(chan struct{})
	over := make(chan error)
	first := master(t, config(), Options{Coordinator: keys})
	firstNet, data := network(t, "mlp", 3), spread(t, open(t, "local[2]"), 0)
	go func() {
		once := false
		over <- first.FitEpochs(context.Background(), firstNet, data, 1, func(distributed.Round) {
			if !once {
				once = true
				close(began)
				<-release
			}
		})
	}()
	<-began
	if err := fit(keys); err == nil || !strings.Contains(err.Error(), "1 jobs, as many as it may have") {
		t.Errorf("a second job: %v", err)
	}
	close(release)
	if err := <-over; err != nil {
		t.Errorf("the first job: %v", err)
	}
	if err := fit(keys); err != nil {
		t.Errorf("a job after the first one: %v", err)
	}
}
