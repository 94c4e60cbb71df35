package main

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/dl4go/dl4go/stats"
)

// figures are the values of a run's figures after each epoch.
type figures map[string][]float64

// compared are the figures that all outputs have, by their name in a line of --json, with that in a series.
var compared = map[string]string{"loss": "epochLoss", "heldOutLoss": "heldOutLoss", "accuracy": "accuracy",
	"learningRate": "learningRate"}

// TestFourOutputs: the lines of --json, the statistics and their page, TensorBoard's event files and MLflow have the
// same numbers for each epoch of a run, with the defaults and with workers of both kinds and both training masters.
func TestFourOutputs(t *testing.T) {
	for _, of := range []string{"", "--training plain", "--master local[2] --training sharing",
		"--master processes[2] --training averaging", "--master processes[2] --training sharing"} {
		t.Run(of, func(t *testing.T) { fourOutputs(t, strings.Fields(of)...) })
		if testing.Short() {
			break
		}
	}
}

// fourOutputs trains with further arguments, and compares the outputs.
func fourOutputs(t *testing.T, more ...string) {
	t.Chdir(t.TempDir())
	server := &metricsServer{metrics: map[string]map[int]float64{}}
	web := httptest.NewServer(server)
	defer web.Close()
	t.Setenv("MLFLOW_TRACKING_URI", web.URL)
	printed, ends := figures{}, []int{}
	for line := range strings.Lines(dl4go(t, append([]string{"train", "--epochs", "3", "--json", "--stats-file",
		"run.json", "--tensorboard", "board", "--mlflow", "digits"}, more...)...)) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if e["event"] != "epoch" {
			continue
		}
		for name := range compared {
			printed[name] = append(printed[name], e[name].(float64))
		}
		ends = append(ends, int(e["iteration"].(float64)))
	}
	if len(ends) != 3 {
		t.Fatalf("epochs end at %v", ends)
	}

	in, err := os.Open("run.json")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	run, err := stats.ReadJSON(in)
	if err != nil {
		t.Fatal(err)
	}
	kept := figures{}
	for name, series := range compared {
		for _, s := range run.Series {
			for i, at := range s.Iterations {
				last := i+1 == len(s.Iterations) || s.Iterations[i+1] > at // shared updates may end at the same iteration
				if s.Name == series && slices.Contains(ends, at) && last {
					kept[name] = append(kept[name], s.Values[i])
				}
			}
		}
	}
	equalFigures(t, "run.json", printed, kept, func(x float64) float64 { return x })

	single := func(x float64) float64 { return float64(float32(x)) }
	board := figures{"loss": scalars(t, "board/train", "epoch_loss"),
		"learningRate": scalars(t, "board/train", "epoch_learning_rate"),
		"heldOutLoss":  scalars(t, "board/validation", "epoch_loss"),
		"accuracy":     scalars(t, "board/validation", "epoch_accuracy")}
	equalFigures(t, "TensorBoard", printed, board, single)

	server.mu.Lock()
	defer server.mu.Unlock()
	sent := figures{}
	for name, series := range compared {
		for _, at := range ends {
			if x, ok := server.metrics[series][at]; ok {
				sent[name] = append(sent[name], x)
			}
		}
	}
	equalFigures(t, "MLflow", printed, sent, func(x float64) float64 { return x })

	dl4go(t, "report", "run.json", "--output", "run.html")
	page, err := os.ReadFile("run.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"heldOutLoss|held out", "accuracy", "learning ?[rR]ate"} {
		if !regexp.MustCompile(`data-label="[^"]*(`+title+`)[^"]*"`).Match(page) &&
			!regexp.MustCompile(`(?i)<figcaption>[^<]*(`+title+`)`).Match(page) {
			t.Errorf("the page has no curve of %s", title)
		}
	}
}

// equalFigures compares an output's figures with the printed ones, rounded as in the output.
func equalFigures(t *testing.T, output string, want, got figures, rounded func(float64) float64) {
	t.Helper()
	for name := range compared {
		var w []float64
		for _, x := range want[name] {
			w = append(w, rounded(x))
		}
		if len(w) == 0 || !slices.Equal(w, got[name]) {
			t.Errorf("%s of %s: %v, and --json has %v", name, output, got[name], w)
		}
	}
}

// metricsServer is the part of an MLflow server that a run needs. It records metrics.
type metricsServer struct {
	mu      sync.Mutex
	metrics map[string]map[int]float64
}

func (s *metricsServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := map[string]any{}
	switch path := q.URL.Path; {
	case strings.HasSuffix(path, "experiments/get-by-name"):
		answer["experiment"] = map[string]string{"experiment_id": "1", "lifecycle_stage": "active"}
	case strings.HasSuffix(path, "runs/create"):
		answer["run"] = map[string]any{"info": map[string]string{"run_id": "r",
			"artifact_uri": "mlflow-artifacts:/1/r/artifacts"}}
	case strings.HasSuffix(path, "runs/log-batch"):
		var in struct {
			Metrics []struct {
				Key   string
				Value any
				Step  int
			}
		}
		if err := json.Unmarshal(body, &in); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, m := range in.Metrics {
			if s.metrics[m.Key] == nil {
				s.metrics[m.Key] = map[int]float64{}
			}
			s.metrics[m.Key][m.Step], _ = m.Value.(float64)
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// scalars reads the values of a tag from the event files of a directory, in the order of writing.
func scalars(t *testing.T, dir, tag string) (values []float64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no event files: %v", dir, err)
	}
	slices.Sort(files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for len(b) > 0 { // length, its checksum, event, its checksum
			n := binary.LittleEndian.Uint64(b)
			for _, summary := range parts(b[12:12+n], 5) {
				for _, value := range parts(summary, 1) {
					if name := parts(value, 1); len(name) == 1 && string(name[0]) == tag {
						bits := binary.LittleEndian.Uint32(parts(value, 2)[0])
						values = append(values, float64(math.Float32frombits(bits)))
					}
				}
			}
			b = b[16+n:]
		}
	}
	return values
}

// parts returns the contents of a field of a protobuf message.
func parts(message []byte, field protowire.Number) (all [][]byte) {
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		message = message[size:]
		size = protowire.ConsumeFieldValue(n, kind, message)
		part := message[:size]
		if kind == protowire.BytesType {
			part, _ = protowire.ConsumeBytes(part)
		}
		if n == field {
			all = append(all, part)
		}
		message = message[size:]
	}
	return all
}
