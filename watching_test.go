package dl4go_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/train"
)

// fetched returns what a server answers.
func fetched(t *testing.T, url string) string {
	t.Helper()
	jar, err := cookiejar.New(nil) // a page exchanges its token for a cookie
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&http.Client{Jar: jar}).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%s: %s, %v", url, r.Status, err)
	}
	return string(b)
}

// A run can be watched while it trains: by TensorBoard, by Prometheus and in a browser.
func TestWatching(t *testing.T) {
	c, dir, page, figures := configured(t), t.TempDir(), "", ""
	c.Trackers = []train.Tracker{dl4go.TensorBoard(dir)}
	c.Page = &dl4go.Page{Opened: func(_, watch string) { page = watch }}
	c.Prometheus = &dl4go.Prometheus{Address: "127.0.0.1:0", Opened: func(url string) { figures = url }}
	ended := 0
	c.Listen = func(e dl4go.Event) {
		if _, ok := e.(dl4go.EpochEnded); !ok {
			return
		}
		if ended++; ended > 1 {
			return
		}
		if text := fetched(t, page); !strings.Contains(text, "<html") {
			t.Errorf("no page: %.200s", text)
		}
		if text := fetched(t, figures); !strings.Contains(text, "dl4go_training_loss") {
			t.Errorf("no metrics: %.200s", text)
		}
	}
	trained(t, c)
	if ended != c.Epochs {
		t.Errorf("%d epochs", ended)
	}
	if files, err := filepath.Glob(dir + "/*/events.out.*"); err != nil || len(files) == 0 {
		all, _ := os.ReadDir(dir)
		t.Errorf("no event files: %v, %v", all, err)
	}
	if r, err := http.Get(page); err == nil { // another server may have the port by now
		b, err := io.ReadAll(r.Body)
		if r.Body.Close(); err == nil && r.StatusCode < 400 && strings.Contains(string(b), "<html") {
			t.Errorf("the page is still served: %.200s", b)
		}
	}
}

func TestWatchingRefused(t *testing.T) {
	for want, change := range map[string]func(c *dl4go.Config){
		"Config.Page: 0.0.0.0:0: other machines": func(c *dl4go.Config) { c.Page = &dl4go.Page{Address: "0.0.0.0:0"} },
		"Config.Prometheus: none":                func(c *dl4go.Config) { c.Prometheus = &dl4go.Prometheus{Address: "none"} },
		"Config.Kernels: ":                       func(c *dl4go.Config) { c.Kernels = "sse9" },
	} {
		c := configured(t)
		change(&c)
		if _, err := dl4go.Train(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := dl4go.MLflow("", "", func(string) string { return "" }); err == nil ||
		!strings.Contains(err.Error(), "MLFLOW_TRACKING_URI") {
		t.Error(err)
	}
}

// A run has the kernels of its settings, and the model that it leaves computes with its own.
func TestKernels(t *testing.T) {
	c := configured(t)
	c.Kernels = "portable"
	m := trained(t, c)
	if got := m.Result(); got == nil || m.Network().Epoch() != 4 {
		t.Errorf("result %+v", got)
	}
	if _, err := m.Predict(t.Context(), []float64{1000, 2}); err != nil {
		t.Error(err) // the model has threads of its own
	}
}

// The range test proposes a rate, and trains nothing.
func TestFindLearningRate(t *testing.T) {
	c := configured(t)
	var net interface{ Iteration() int }
	c.Adjust = func(run *train.Config) { net = run.Network.Base() }
	rates, err := dl4go.FindLearningRate(t.Context(), nil, nil, c)
	if err != nil || len(rates.Loss) < 10 || net.Iteration() != 0 {
		t.Errorf("rates %+v, %v", rates, err)
	}
	if rate, ok := rates.Proposed(); ok && !(rate > 1e-7 && rate < 10) {
		t.Errorf("proposed %v", rate)
	}
	if _, err := dl4go.FindLearningRate(t.Context(), nil, nil, dl4go.Config{}); err == nil {
		t.Error("no data")
	}
}
