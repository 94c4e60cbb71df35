package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/internal/local"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// TestMainOfWorker starts this program as a worker. It must not run the tests as a second driver.
func TestMainOfWorker(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "DL4GO_WORKER=unheard-of")
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), "unheard-of") {
		t.Errorf("a worker with an unknown protocol ends with %v: %s", err, out)
	}
}

func TestOpen(t *testing.T) {
	for master, want := range map[string]string{"local": "local[1]", "local[1]": "local[1]", "local[7]": "local[7]"} {
		e, err := engine.Open(context.Background(), master, engine.Options{})
		if err != nil {
			t.Errorf("%s: %v", master, err)
			continue
		}
		if e.Master() != want || e.Threads() < 1 {
			t.Errorf("%s opens %s with %d threads", master, e.Master(), e.Threads())
		}
		e.Close()
	}
	e, err := engine.Open(context.Background(), "local[*]", engine.Options{Threads: 3})
	if err != nil || e.Slots() < 1 || e.Threads() != 3 {
		t.Errorf("local[*] with 3 threads opens %v, error %v", e, err)
	}
	for _, master := range []string{
		"", "local[0]", "local[-1]", "local[x]", "local[2", "local2", "local[]", "local[1000000]", "yarn", "cloud://host:1",
	} {
		var wrong *engine.MasterError
		_, err := engine.Open(context.Background(), master, engine.Options{})
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "local[N]") ||
			!strings.Contains(err.Error(), fmt.Sprintf("%q", master)) {
			t.Errorf("master %q: %v", master, err)
		}
	}
}

type shiftConfig struct{ By int }

var shift = engine.Register("test.shift", func(*engine.Task, shiftConfig, engine.Rows,
	engine.Writer) error {
	return nil
})

var unwritable = engine.Register("test.unwritable", func(*engine.Task, chan int, engine.Rows,
	engine.Writer) error {
	return nil
})

func TestRegisteringTwiceNamesBothPlaces(t *testing.T) {
	defer func() {
		message := fmt.Sprint(recover())
		if strings.Count(message, "engine_test.go:") != 2 || !strings.Contains(message, "test.shift") {
			t.Errorf("the panic says: %s", message)
		}
	}()
	engine.Register("test.shift", func(*engine.Task, struct{}, engine.Rows, engine.Writer) error { return nil })
}

func TestStepAsJSON(t *testing.T) {
	b, err := json.Marshal(shift.With(shiftConfig{3}))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"test.shift","config":{"By":3}}`; string(b) != want {
		t.Errorf("%s, wanted %s", b, want)
	}
	var s engine.Step
	if err := json.Unmarshal(b, &s); err != nil || s.Name() != shift.Name() || s.Err() != nil {
		t.Errorf("read back: %v, error %v", s, err)
	}
	if err := json.Unmarshal([]byte(`{"name":"not.here","config":{}}`), &s); err == nil ||
		!strings.Contains(err.Error(), "test.shift") {
		t.Errorf("an operation that is not registered: %v", err)
	}
	if unwritable.With(make(chan int)).Err() == nil {
		t.Error("a configuration that JSON can't hold is accepted")
	}
}

func TestStorageLevels(t *testing.T) {
	for name, want := range map[string]struct {
		memory, disk, serialised bool
		replicas                 int
	}{
		"": {replicas: 1}, "NONE": {replicas: 1}, "MEMORY_ONLY": {memory: true, replicas: 1},
		"MEMORY_AND_DISK_SER_2": {true, true, true, 2}, "DISK_ONLY_3": {disk: true, replicas: 3},
		"OFF_HEAP": {true, true, true, 1},
	} {
		l, err := engine.ParseStorageLevel(name)
		if err != nil || l.Memory() != want.memory || l.Disk() != want.disk || l.Serialised() != want.serialised ||
			l.Replicas() != want.replicas {
			t.Errorf("%q: %s, error %v", name, l, err)
		}
	}
	if _, err := engine.ParseStorageLevel("memory_only"); err == nil || !strings.Contains(err.Error(), "MEMORY_ONLY_SER") {
		t.Errorf("an unknown level: %v", err)
	}
}

func TestEvenEnds(t *testing.T) {
	for _, c := range []struct {
		rows, partitions int
		want             string
	}{{10, 3, "[4 7 10]"}, {2, 4, "[1 2 2 2]"}, {0, 2, "[0 0]"}, {6, 3, "[2 4 6]"}} {
		if got := fmt.Sprint(engine.EvenEnds(c.rows, c.partitions)); got != c.want {
			t.Errorf("%d rows in %d partitions end at %s, wanted %s", c.rows, c.partitions, got, c.want)
		}
	}
}
