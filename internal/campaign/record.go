package campaign

import (
	"encoding/json"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// ResultsVariable names the file to which tests append their results, for docs/reliability.md.
const ResultsVariable = "DL4GO_RESULTS"

// Result is a test's result, a line of JSON.
type Result struct {
	Test   string `json:"test"` // with its package's path below the module: nn.TestMutatedModels
	Runs   int64  `json:"runs"` // files, programs, faults, seeds
	Failed bool   `json:"failed,omitempty"`
	Day    string `json:"day"` // 2006-01-02
}

// Runs counts the runs of a test.
type Runs struct {
	mu sync.Mutex
	n  int64
}

// Record arranges that a test's number of runs is appended to the file, if there is one, when the test has ended. Call
// it from the test's own function, not from a subtest.
func Record(t testing.TB) *Runs {
	r := &Runs{}
	file := os.Getenv(ResultsVariable)
	if file == "" {
		return r
	}
	name := packageOf() + "." + t.Name()
	t.Cleanup(func() {
		line, err := json.Marshal(Result{name, r.n, t.Failed(), time.Now().UTC().Format(time.DateOnly)})
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// Add counts n runs more.
func (r *Runs) Add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n += int64(n)
}

// packageOf returns the path of the test's package, below the module.
func packageOf() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.File, "_test.go") {
			dir, last := path.Split(f.Function)
			last, _, _ = strings.Cut(last, ".")
			return strings.TrimPrefix(dir+strings.TrimSuffix(last, "_test"), "github.com/dl4go/dl4go/")
		}
		if !more {
			return "unknown"
		}
	}
}
