package serving

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	pb "github.com/dl4go/dl4go/internal/serving/protocol"
	"github.com/dl4go/dl4go/serve"
)

// lines records log lines.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// requests returns the lines about requests.
func (l *lines) requests(t *testing.T) (list []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(l.text.Bytes()) {
		var one map[string]any
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if one["msg"] == "request" {
			list = append(list, one)
		}
	}
	return list
}

// TestRequestLog: each request is a line with its model, rows, status and times, but without inputs, names or the
// token.
func TestRequestLog(t *testing.T) {
	log := &lines{}
	s := start(t, Options{LogRequests: true, Log: slog.New(slog.NewJSONHandler(log, nil)), Token: "geheim"},
		serve.Options{})
	token := []string{"Authorization", "Bearer geheim"}
	s.post("/v2/models/m/infer", []byte(jsonQuestion), token...)
	s.post("/v1/models/m:predict", []byte(`{"rows":[{"a":0.625,"b":-1,"c":2},{"a":3,"b":0.25,"c":-0.125}]}`), token...)
	s.post("/v1/models/none-such:predict", []byte(`{}`), token...)
	s.get("/v2?password=open", "Authorization", "Bearer wrong")
	s.get("/nowhere/secret")
	in := &pb.ModelInferRequest{ModelName: "m"}
	if err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", in, &pb.ModelInferResponse{}); err == nil {
		t.Error("no token is accepted")
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	got := log.requests(t)
	want := []struct {
		endpoint      string
		status, model any
		rows          any
	}{
		{"POST /v2/models/{model}/infer", 200.0, "m", 2.0},
		{"POST /v1/models/{model}", 200.0, "m", 2.0},
		{"POST /v1/models/{model}", 404.0, nil, nil},
		{"GET /v2", 401.0, nil, nil},
		{"GET", 401.0, nil, nil},
		{"/" + rpcName + "/ModelInfer", "Unauthenticated", nil, nil},
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines: %v", len(got), got)
	}
	for i, w := range want {
		g := got[i]
		if g["endpoint"] != w.endpoint || g["status"] != w.status || g["model"] != w.model || g["rows"] != w.rows {
			t.Errorf("line %d: %v, not %v", i, g, w)
		}
		seconds, ok := g["seconds"].(float64)
		if queued, asked := g["queue_seconds"].(float64); !ok || asked != (w.model != nil) || queued > seconds {
			t.Errorf("line %d: %v", i, g)
		}
	}
	for _, never := range []string{"geheim", "wrong", "password", "secret", "0.625", "none-such"} {
		if strings.Contains(log.text.String(), never) {
			t.Errorf("the log has %q", never)
		}
	}
}
