//go:build storage

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/need"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
)

// onEach runs a test with a directory of each available file system.
func onEach(t *testing.T, test func(t *testing.T, url string)) {
	some := false
	for scheme, variable := range map[string]string{"s3": "DL4GO_S3", "hdfs": "DL4GO_HDFS"} {
		if root := os.Getenv(variable); root != "" {
			some = true
			t.Run(scheme, func(t *testing.T) {
				test(t, storage.Join(root, fmt.Sprintf("checkpoints/%s-%08x", t.Name(), rand.Uint32())))
			})
		}
	}
	if !some {
		t.Error("there are no URLs: make test-storage")
	}
}

// TestResumeFromURLAfterKill is TestResumeAfterKill with URLs. The lease of a killed run lasts an hour, but nobody on
// the same machine waits for it.
func TestResumeFromURLAfterKill(t *testing.T) {
	onEach(t, func(t *testing.T, url string) { resumesAfterKill(t, url, []string{"--master", "local[2]"}) })
}

// TestResumeSharingFromURL is TestResumeSharing with URLs.
func TestResumeSharingFromURL(t *testing.T) {
	onEach(t, func(t *testing.T, url string) { resumesSharing(t, url, "local[2]") })
}

// TestTwoRunsOfAURL: a live run keeps its directory. If it is suspended for longer than its lease, another run gets
// the directory. When the first run continues, it ends with the reason, and does not damage the other run's
// checkpoints.
func TestTwoRunsOfAURL(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		smallNetwork(t, filepath.Join(dir, "small.json"))
		flags := []string{"--model", "small.json", "--batch", "8", "--save", "got.zip"}
		var lost bytes.Buffer
		first := exec.CommandContext(t.Context(), os.Args[0])
		first.Args = append([]string{"dl4go", "train", "--json", "--epochs", "1000000", "--checkpoint", url,
			"--checkpoint-every", "1ms", "--checkpoint-lease", "20s"}, flags...)
		first.Dir, first.Stderr, first.Env = dir, &lost, append(os.Environ(), "TMPDIR="+dir)
		out, err := first.StdoutPipe()
		if err == nil {
			err = first.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for e := (trainEvent{}); e.Event != "checkpoint" || e.Examples == 0; {
			if !lines.Scan() {
				t.Fatalf("the first run has ended: %v\n%s", first.Wait(), lost.String())
			}
			json.Unmarshal(lines.Bytes(), &e)
		}
		ended := make(chan error)
		go func() {
			for lines.Scan() {
			}
			ended <- first.Wait()
		}()
		refused := exec.CommandContext(t.Context(), os.Args[0])
		refused.Args = []string{"dl4go", "train", "--resume", url, "--epochs", "1"}
		text, err := refused.CombinedOutput()
		for _, want := range []string{"another run is using the directory", fmt.Sprint("process ", first.Process.Pid),
			"20s after it has died"} {
			if err == nil || !strings.Contains(string(text), want) {
				t.Errorf("a second run: %s, %v, without %q", text, err, want)
			}
		}
		if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		defer first.Process.Signal(syscall.SIGCONT)
		n := fmt.Sprint(lastRecord(t, url).Epochs + 3)
		second, _ := trainIn(t, dir, nil, "--resume", url, "--epochs", n, "--checkpoint-every", "1ms", "--checkpoint-lease",
			"20s", "--save", "second.zip")
		if err := first.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil || !strings.Contains(lost.String(),
			"another run has taken the directory over: process ") {
			t.Errorf("the first run has ended with %v and %s", err, lost.String())
		}
		if last := second[len(second)-1]; last.Event != "done" {
			t.Errorf("the second ended with %+v", last)
		}
		trainIn(t, dir, nil, append(slices.Clone(flags[:4]), "--epochs", n, "--save", "want.zip")...)
		same(t, filepath.Join(dir, "want.zip"), filepath.Join(dir, "second.zip"))
		if r := lastRecord(t, url); fmt.Sprint(r.Epochs) != n {
			t.Errorf("the last checkpoint is of %d epochs, not %s", r.Epochs, n)
		}
	})
}

// TestModelStaysWhenAURLIsLost: a run that has lost its directory does not touch the other run's model.
func TestModelStaysWhenAURLIsLost(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		digits, err := source.Open(t.Context(), "digits:test")
		if err != nil {
			t.Fatal(err)
		}
		net, err := modelfile.Open(t.Context(), "softmax", digits.Info(), nil)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "model.zip")
		run, err := train.New(t.Context(), train.Config{Network: net.Network, Data: digits, Epochs: 1, Save: path,
			Checkpoint: train.Checkpoint{Dir: url, Every: time.Hour, Claim: train.Claim{Period: time.Hour}}})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		if err := storage.WriteNew(t.Context(), storage.Join(url, ".lease-000002"),
			[]byte(`{"host": "another", "process": 5}`)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("the other one's"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := run.Train(t.Context()); !errors.Is(err, train.ErrLost) ||
			!strings.Contains(err.Error(), "process 5 on another") {
			t.Errorf("it is saved: %v", err)
		}
		if b, err := os.ReadFile(path); string(b) != "the other one's" {
			t.Errorf("the model is %q, %v", b, err)
		}
	})
}

// TestNameNodesChangeUnderARunOfAURL: a run continues, and keeps its lease, when the name node hands over to another
// one, and when it fails.
func TestNameNodesChangeUnderARunOfAURL(t *testing.T) {
	if os.Getenv("DL4GO_HDFS_CONTROL") == "" {
		need.From(t, errors.New("there is no HDFS"),
			"run the tests by make test-storage, with a Java 17 development kit and Maven")
	}
	dir, url := t.TempDir(), fmt.Sprintf("hdfs://mini/checkpoints/failover-%08x", rand.Uint32())
	smallNetwork(t, filepath.Join(dir, "small.json"))
	control := func(command string, node int) {
		t.Helper()
		r, err := http.Post(fmt.Sprintf("%s/%s?node=%d", os.Getenv("DL4GO_HDFS_CONTROL"), command, node), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if text, err := io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v", command, text, err)
		}
	}
	signs := func() (r struct{ Beats int }) {
		t.Helper()
		await.Until(t, "the lease to be read", func() (any, bool) { // it may be replaced meanwhile
			text, err := storage.ReadFile(t.Context(), storage.Join(url, ".lease-000001"))
			if err == nil {
				err = json.Unmarshal(text, &r)
			}
			return err, err == nil
		})
		return r
	}
	changes := []func(){
		func() { control("activate", 1) },
		func() { control("stop-namenode", 1); control("activate", 0); control("start-namenode", 1) },
	}
	defer control("activate", 0)
	told, before := 0, -1
	_, killed := trainIn(t, dir, func(e trainEvent) os.Signal {
		if e.Event == "checkpoint" {
			told++
		}
		if told < 3 || signs().Beats < before+2 {
			return nil
		}
		if len(changes) == 0 {
			return os.Interrupt
		}
		changes[0]()
		told, before, changes = 0, signs().Beats, changes[1:]
		return nil
	}, "--model", "small.json", "--batch", "8", "--epochs", "1000000", "--checkpoint", url, "--checkpoint-every", "1ms",
		"--checkpoint-lease", "1s")
	if !killed {
		t.Fatal("the run has ended")
	}
	files, err := storage.List(t.Context(), url)
	if err != nil || len(files) != 3 {
		t.Errorf("there are %v, %v", files, err)
	}
	for _, f := range files {
		if base := storage.Base(f.URL); base != ".lease-000001" && !strings.HasPrefix(base, "checkpoint-000001-") {
			t.Errorf("there is %s: the lease was lost", base)
		}
	}
	all, _ := trainIn(t, dir, nil, "--resume", url, "--epochs", fmt.Sprint(lastRecord(t, url).Epochs+1))
	if last := all[len(all)-1]; last.Event != "done" {
		t.Errorf("it ended with %+v", last)
	}
}

// TestExportOfAKilledRunByURL: the export is in use while the run lives, and is removed after the run was killed.
func TestExportOfAKilledRunByURL(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		smallNetwork(t, filepath.Join(dir, "small.json"))
		clean := func(want string) {
			t.Helper()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Args, cmd.Env = []string{"dl4go", "clean", "--dir", url}, append(os.Environ(), "TMPDIR="+dir)
			if out, err := cmd.CombinedOutput(); err != nil || !regexp.MustCompile(url+"/dl4go_run_.*: "+want).Match(out) {
				t.Errorf("%s, %v, without %q", out, err, want)
			}
		}
		trainIn(t, dir, func(e trainEvent) os.Signal {
			if s := inEpoch(os.Kill)(e); s != nil {
				clean("left: it is in use")
				return s
			}
			return nil
		}, "--model", "small.json", "--batch", "8", "--epochs", "1000000", "--approach", "export", "--export-directory", url,
			"--checkpoint", "run", "--checkpoint-every", "1ms")
		clean("removed")
		if dirs, err := storage.Directories(t.Context(), url); len(dirs) > 0 || err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there are %v, %v", dirs, err)
		}
	})
}
