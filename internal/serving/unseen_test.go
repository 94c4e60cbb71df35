package serving

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
	"github.com/dl4go/dl4go/serve"
)

// TestUnseenMetric: values that are not in the training rows are counted for each column.
func TestUnseenMetric(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.zip")
	net := saved(t, path, 1)
	columns := []pipeline.Column{pipeline.IntegerColumn{Name: "a"}, pipeline.IntegerColumn{Name: "b"},
		pipeline.IntegerColumn{Name: "c"}, pipeline.StringColumn{Name: "kind"}}
	p := source.Preparation{Pipeline: &pipeline.Pipeline{Initial: pipeline.Schema{Columns: columns}},
		Task: source.Classification, Labels: []string{"kind"}, Outputs: []string{"kind"}, Classes: []string{"no", "yes"},
		Seen: []analysis.Seen{{Column: "b", Values: []string{"0", "1"}, As: `"0"`}}}
	steps, labels, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := net.SetPipeline(steps, labels); err != nil {
		t.Fatal(err)
	}
	if err := net.Save(t.Context(), path, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	models, err := OpenRepository(t.Context(), []Spec{{"m", "1", path}}, serve.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer models.Close()
	m := newMetrics(models)
	for _, place := range models.places {
		if _, err := place.model.predictor.PredictRows(t.Context(), map[string]any{"a": 1, "b": 1, "c": 1},
			map[string]any{"a": 1, "b": 7, "c": 1}); err != nil {
			t.Fatal(err)
		}
	}
	answer := httptest.NewRecorder()
	m.handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	text, _ := io.ReadAll(answer.Body)
	if want := `dl4go_serve_unseen_values_total{column="b",model="m",version="1"} 1`; !strings.Contains(string(text), want) {
		t.Errorf("%s\nwant %s", text, want)
	}
}
