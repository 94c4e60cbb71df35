package serving

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/serve"
)

// TestUnknownPaths: unknown paths, methods that a path does not accept, and bodies that are too large are errors in
// JSON.
func TestUnknownPaths(t *testing.T) {
	s := start(t, Options{MaxRequest: 100}, serve.Options{})
	large := strings.Repeat(" ", 101)
	for _, c := range []struct {
		method, path, body string
		code               int
		allow, wants       string
	}{
		{"GET", "/v3", "", 404, "", "no such path"},
		{"POST", "/v2/models/m/explain", "{}", 404, "", "no such path"},
		{"GET", "/v2/models/m/versions/1/ready/x", "", 404, "", "no such path"},
		{"GET", "/v2/models/m/infer", "", 405, "POST", "the path takes POST, not GET"},
		{"DELETE", "/v2/models/m", "", 405, "GET, HEAD", "the path takes GET, HEAD, not DELETE"},
		{"PUT", "/v2/repository/index", "", 405, "GET, HEAD, POST", "not PUT"},
		{"POST", "/", "", 405, "GET, HEAD", "not POST"},
		{"GET", "/v1/models/m:predict", "", 405, "POST", "not GET"},
		{"POST", "/v1/models/m:predict", large, 413, "", "more than 100 bytes"},
		{"POST", "/v2/models/m/infer", large, 413, "", "more than 100 bytes"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, s.web+c.path, bytes.NewReader([]byte(c.body)))
		if err != nil {
			t.Fatal(err)
		}
		code, header, text := s.send(r)
		var answer struct{ Error string }
		err = json.Unmarshal(text, &answer)
		if code != c.code || header.Get("Allow") != c.allow || err != nil || !strings.Contains(answer.Error, c.wants) ||
			header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %d %v %s", c.method, c.path, code, header, text)
		}
	}
}

// TestNumbersInJSON: numbers are accepted in lists of any depth, and bools of the datatype BOOL; nothing else is.
func TestNumbersInJSON(t *testing.T) {
	x, err := fromJSON("x", "BOOL", []byte("[[1,\t-2.5e1],\n[true, false], [0.1]]"))
	if want := []float32{1, -25, 1, 0, 0.1}; err != nil || len(x) != len(want) || x[1] != want[1] || x[2] != 1 ||
		x[3] != 0 || x[4] != want[4] {
		t.Errorf("%v, %v", x, err)
	}
	if y, err := fromJSON("x", "FP32", []byte("[[1,\t-2.5e1],\n[1, 0], [0.1]]")); err != nil || !slices.Equal(x, y) {
		t.Errorf("%v as FP32, %v", y, err)
	}
	for _, text := range []string{`["1"]`, `[null]`, `{"a":1}`, `[1e999]`, `["a,b"]`, `"x"`, `[true]`,
		`[1, false]`} {
		if x, err := fromJSON("x", "FP32", []byte(text)); err == nil {
			t.Errorf("%s is %v", text, x)
		}
	}
}
