package mlflow

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

// runOf is a run with two series of n values.
func runOf(n int) stats.Run {
	loss, odd := stats.Series{Name: "loss"}, stats.Series{Name: "updates/ä:W"}
	for i := range n {
		for _, s := range []*stats.Series{&loss, &odd} {
			s.Iterations = append(s.Iterations, i+1)
			s.Since = append(s.Since, time.Duration(i)*time.Millisecond)
			s.Values = append(s.Values, 1/float64(i+2))
		}
	}
	settings := map[string]string{}
	for i := range 130 {
		settings["setting "+string(rune('a'+i%26))+strings.Repeat("x", i/26)] = strings.Repeat("v", 10*i)
	}
	return stats.Run{Title: "Training of m.zip", Began: time.Unix(1_700_000_000, 5).UTC(), Settings: settings,
		Series: []stats.Series{loss, odd}}
}

func progress(n int) train.Progress {
	return train.Progress{Run: runOf(n), Example: func() (*data.MultiDataSet, error) { return nil, errors.New("none") }}
}

// track sends a tracker a run of three epochs; between is called after the first. It returns the last error.
func track(t *testing.T, to *Tracker, between func(), end func(*train.Progress)) error {
	t.Helper()
	to.Track(t.Context(), progress(0))
	to.Track(t.Context(), progress(1500))
	synctest.Wait()
	between()
	began := time.Now()
	to.Track(t.Context(), progress(3000))
	if now := time.Now(); !now.Equal(began) { // by the test's clock
		t.Errorf("training waited until %v", now)
	}
	last := progress(4500)
	end(&last)
	return to.Track(t.Context(), last)
}

func ends(p *train.Progress) { p.Ended = true }

// TestTracker: all values, parameters and the status arrive, in batches within MLflow's limits.
func TestTracker(t *testing.T) {
	for want, end := range map[string]func(*train.Progress){
		finished: ends,
		failed:   func(p *train.Progress) { p.Failed = errors.New("a worker was lost") },
		killed:   func(p *train.Progress) { p.Failed, p.Interrupted = context.Canceled, true },
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t)
			if err := track(t, &Tracker{Settings: f.settings()}, func() {}, end); err != nil {
				t.Error(err)
			}
			f.has(runOf(4500))
			if f.status != want || f.runs != 1 || len(f.params) != 130 {
				t.Errorf("%s, want %s; %d runs, %d parameters", f.status, want, f.runs, len(f.params))
			}
		})
	}
}

// TestServerThatComesBack: nothing is lost or doubled if the server, or its responses, are missing for an hour.
func TestServerThatComesBack(t *testing.T) {
	for name, trouble := range map[string]func(*fakeServer){
		"gone":        func(f *fakeServer) { f.down = errors.New("connection refused") },
		"overloaded":  func(f *fakeServer) { f.refuse = 503 },
		"slow":        func(f *fakeServer) { f.slow = 20 * time.Second },
		"lost answer": func(f *fakeServer) { f.lose = "runs/log-batch" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				err := track(t, &Tracker{Settings: f.settings()}, func() {
					f.set(func() { trouble(f) })
					time.AfterFunc(3*time.Second, func() { f.set(func() { f.down, f.refuse = nil, 0 }) })
				}, ends)
				if err != nil {
					t.Error(err)
				}
				f.has(runOf(4500))
				if f.status != finished || f.runs != 1 {
					t.Errorf("%s, %d runs", f.status, f.runs)
				}
			})
		})
	}
}

// TestLostAnswerToCreate does not make a second run.
func TestLostAnswerToCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.lose = "runs/create"
		if err := track(t, &Tracker{Settings: f.settings()}, func() {}, ends); err != nil {
			t.Error(err)
		}
		f.has(runOf(4500))
		if f.runs != 1 {
			t.Errorf("%d runs", f.runs)
		}
	})
}

// TestServerThatStaysAway: the run is kept, the error tells how to send it, and sending completes it.
func TestServerThatStaysAway(t *testing.T) {
	for name, trouble := range map[string]func(*fakeServer){
		"gone":     func(f *fakeServer) { f.down = errors.New("connection refused") },
		"hanging":  func(f *fakeServer) { f.slow = 24 * time.Hour },
		"refusing": func(f *fakeServer) { f.refuse = 401 },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "m-mlflow.json")
			f := newFake(t)
			synctest.Test(t, func(t *testing.T) {
				err := track(t, &Tracker{Settings: f.settings(), Keep: file}, func() { f.set(func() { trouble(f) }) }, ends)
				if err == nil || !strings.Contains(err.Error(), "dl4go report --to mlflow --experiment tests "+file) {
					t.Fatalf("the error is %v", err)
				}
				f.set(func() { f.down, f.slow, f.refuse = nil, 0, 0 })
				if f.status != running {
					t.Errorf("%s", f.status)
				}
			})
			run, err := stats.ReadFile(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time adds nothing
				if err := Send(t.Context(), f.settings(), run); err != nil {
					t.Fatal(err)
				}
				f.has(runOf(4500))
			}
			if f.status != finished || f.runs != 1 {
				t.Errorf("%s, %d runs", f.status, f.runs)
			}
		})
	}
}

// TestAFailedRunIsSentAsFailed: a run from a file has the status and the reason of its end.
func TestAFailedRunIsSentAsFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, run := newFake(t), runOf(3)
		run.Failure = "training diverged"
		if err := Send(t.Context(), f.settings(), run); err != nil || f.status != failed || f.reason != run.Failure {
			t.Errorf("%v; %s for %q", err, f.status, f.reason)
		}
	})
}

// TestAFileThatHasTheRunAnyway: the error names the file, and no other file is written.
func TestAFileThatHasTheRunAnyway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.down = errors.New("no route to host")
		file := filepath.Join(t.TempDir(), "other.json")
		err := track(t, &Tracker{Settings: f.settings(), Keep: file, Kept: "my run.json"}, func() {}, ends)
		if err == nil || !strings.HasSuffix(err.Error(), "'my run.json'") {
			t.Errorf("the error is %v", err)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("a second file was written")
		}
	})
}

func TestEnvironment(t *testing.T) {
	read := func(set map[string]string) (Settings, error) {
		return FromEnvironment("", func(name string) string { return set[name] })
	}
	s, err := read(map[string]string{"MLFLOW_TRACKING_URI": "https://ann:secret@host/ml", "MLFLOW_EXPERIMENT_NAME": "e"})
	if err != nil || s.Server.String() != "https://host/ml" || s.User != "ann" || s.Password != "secret" ||
		s.Experiment != "e" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range []map[string]string{
		{},
		{"MLFLOW_TRACKING_URI": "file:/tmp"},
		{"MLFLOW_TRACKING_URI": "http://h", "MLFLOW_TRACKING_INSECURE_TLS": "perhaps"},
		{"MLFLOW_TRACKING_URI": "http://h", "MLFLOW_HTTP_REQUEST_TIMEOUT": "0"},
		{"MLFLOW_TRACKING_URI": "http://h", "MLFLOW_TRACKING_SERVER_CERT_PATH": "settings.go"},
		{"MLFLOW_TRACKING_URI": "http://h", "MLFLOW_TRACKING_CLIENT_CERT_PATH": "missing.pem"},
	} {
		_, err := read(bad)
		if err == nil || !strings.Contains(err.Error(), "MLFLOW_") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestRefusal: the error says what the server said, and which variable to set or to check.
func TestRefusal(t *testing.T) {
	for want, to := range map[string]Settings{
		"set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD": {},
		"check MLFLOW_TRACKING_TOKEN":                                 {Token: "t", User: "ann"},
		"check MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD": {User: "ann"},
	} {
		f := newFake(t)
		f.refuse = 403
		to.Server, to.Client = f.settings().Server, f.settings().Client
		err := Send(t.Context(), to, runOf(1))
		if want = "it refuses access (403); " + want; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	said := Error{Status: 403, Message: "Permission denied", remedy: "check X"}
	if got := said.Error(); got != "it refuses access (403): Permission denied; check X" {
		t.Error(got)
	}
}

// TestListed: numbers that JSON lacks are the strings that the server reads.
func TestListed(t *testing.T) {
	got := string(listed([]metric{{"a", math.NaN(), 1, 2}, {"b", math.Inf(1), 3, 4}, {"c", math.Inf(-1), 5, 6},
		{"d", 0.5, 7, 8}}))
	want := `[{"key":"a","value":"NaN","timestamp":1,"step":2},{"key":"b","value":"Infinity","timestamp":3,"step":4},` +
		`{"key":"c","value":"-Infinity","timestamp":5,"step":6},{"key":"d","value":0.5,"timestamp":7,"step":8}]`
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPicked: short series are sent as they are. Of long ones, steps grow apart, but no gap exceeds a 256th of the run.
func TestPicked(t *testing.T) {
	steps := make([]int, 10_000)
	for i := range steps {
		steps[i] = 3 * (i + 1)
	}
	if n := len(picked(steps[:wholeSeries], false)); n != wholeSeries {
		t.Errorf("%d of %d values are sent", n, wholeSeries)
	}
	all, part := picked(steps, true), picked(steps[:7000], false)
	if !slices.Equal(part, all[:len(part)]) {
		t.Error("a longer series has other values at its beginning")
	}
	if n := len(all); n > 2*wholeSeries || all[n-1] != len(steps)-1 {
		t.Errorf("%d values are sent, the last one is number %d", n, all[n-1])
	}
	for i := range all[1:] {
		if from, to := steps[all[i]], steps[all[i+1]]; to-from > 3+to/finestPart {
			t.Fatalf("nothing is sent between steps %d and %d", from, to)
		}
	}
}

// TestErrorText: an answer without MLflow's code or message has neither a space nor a colon at its end.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]Error{"it answers 500": {Status: 500}, "it answers 500 X": {Status: 500, Code: "X"},
		"it answers 500 X: a b": {Status: 500, Code: "X", Message: "a\n b"}} {
		if got := e.Error(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
