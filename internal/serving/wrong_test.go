package serving

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	pb "github.com/dl4go/dl4go/internal/serving/protocol"
	"github.com/dl4go/dl4go/serve"
	_ "github.com/dl4go/dl4go/storage/s3"
)

// rawBytes sends raw bytes instead of a message.
type rawBytes struct{ encoding.CodecV2 }

func (rawBytes) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (rawBytes) Unmarshal(mem.BufferSlice, any) error { return nil }

func (rawBytes) Name() string { return "proto" }

// TestMalformedMessages: bytes that are no message are refused, and so is a message that is too large. The server goes
// on.
func TestMalformedMessages(t *testing.T) {
	s := start(t, Options{MaxRequest: 1000}, serve.Options{})
	for _, c := range []struct {
		bytes []byte
		code  codes.Code
	}{
		{[]byte{0xff, 0xff, 0xff}, codes.Internal},
		{[]byte{0x0a, 0x7f, 'm'}, codes.Internal},            // a string of 127 bytes has only one
		{[]byte{0x0a, 0x01, 0xff}, codes.Internal},           // a name that is not UTF-8
		{[]byte("\n\x01mjaaaaaaaaaaaaaaaa"), codes.Internal}, // a field that ends early
		{nil, codes.NotFound},                                // no name at all
		{make([]byte, 2000), codes.ResourceExhausted},        // too large
		{[]byte("\n\x01m*\x02:\x00"), codes.InvalidArgument}, // an input without a name
	} {
		err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", c.bytes, nil, grpc.ForceCodecV2(rawBytes{}))
		if status.Code(err) != c.code {
			t.Errorf("%q: %v; wanted %v", c.bytes, err, c.code)
		}
	}
	if err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", rpcQuestion(), &pb.ModelInferResponse{}); err != nil {
		t.Errorf("after malformed messages: %v", err)
	}
}

// TestWrongRows: the error of a row that does not fit names the row and the column. Columns that the model does not
// use are ignored.
func TestWrongRows(t *testing.T) {
	s := start(t, Options{}, serve.Options{})
	for _, c := range []struct{ body, wants string }{
		{`{"rows":[{"a":1,"b":2,"c":3},{"a":1,"b":"NaN","c":3}]}`, `column \"b\"`},
		{`{"rows":[{"a":1,"b":1e39,"c":3}]}`, `column \"b\"`},
		{`{"rows":[{"a":1,"b":1e999,"c":3}]}`, `\"b\"`},
		{`{"rows":[{"a":1,"b":null,"c":3}]}`, `row 0: \"b\": the value is missing`},
		{`{"rows":[{"a":1,"b":[2],"c":3}]}`, `row 0: \"b\"`},
		{`{"rows":[{"a":1,"b":{"x":2},"c":3}]}`, `row 0: \"b\"`},
		{`{"rows":[{"A":1,"b":2,"c":3}]}`, `there is no value \"a\"`},
		{`{"rows":{"a":1}}`, `\"rows\" is not a list`},
		{`{"instances":3}`, `\"instances\" is not a list`},
		{`{"sequences":[{"steps":[{"a":1}]}]}`, "the body has sequences, and the model takes rows"},
		{`{"a":1,"b":2,"c":3}{"a":1}`, "more than one"},
		{`{"a":1,"b":2,"c":3`, "not a JSON object"},
		{"\xff\xfe{", "not a JSON object"},
		{strings.Repeat(`{"a":`, 20000), "not a JSON object"},
		{``, "not a JSON object"},
	} {
		code, _, text := s.post("/v1/models/m:predict", []byte(c.body))
		if code != 400 || !strings.Contains(string(text), c.wants) {
			t.Errorf("%.60q: %d %.300s; wanted %s", c.body, code, text, c.wants)
		}
	}
	if code, _, text := s.post("/v1/models/m:predict", []byte(`{"a":1,"b":2,"c":3,"d":"more"}`)); code != 200 {
		t.Errorf("with one column more: %d %s", code, text)
	}
	x := toBytes(nil, []float32{1, float32(math.NaN()), 3})
	q := rpcQuestion()
	q.Inputs[0].Shape, q.Inputs[0].Contents, q.RawInputContents = []int64{1, 3}, nil, [][]byte{x}
	err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", q, &pb.ModelInferResponse{})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("NaN over gRPC: %v", err)
	}
}

// TestMisfits: the error of a request whose JSON has other types names the member, and no type of Go.
func TestMisfits(t *testing.T) {
	s := start(t, Options{}, serve.Options{})
	for _, c := range []struct{ path, body, wants string }{
		{"/v2/models/m/infer", `[1]`, `the body is a list; an object belongs there`},
		{"/v2/models/m/infer", `{"id":5}`, `\"id\" is a number; a text belongs there`},
		{"/v2/models/m/infer", `{"inputs":{}}`, `\"inputs\" is an object; a list belongs there`},
		{"/v2/models/m/infer", `{"inputs":["x"]}`, `is a text; an object belongs there`},
		{"/v2/models/m/infer", `{"inputs":[{"shape":[1.5,3]}]}`, `\"inputs.shape\" is 1.5; a whole number belongs there`},
		{"/v2/models/m/infer", `{"inputs":[{"name":true}]}`, `\"inputs.name\" is true or false; a text belongs there`},
		{"/v1/models/m:predict", `[1]`, `the body is a list; an object belongs there`},
	} {
		code, _, text := s.post(c.path, []byte(c.body))
		if code != 400 || !strings.Contains(string(text), c.wants) || strings.Contains(string(text), "Go ") {
			t.Errorf("%s: %d %.300s; wanted %s", c.body, code, text, c.wants)
		}
	}
}

// TestHugeBatch: a request with many more examples than a minibatch is answered in order.
func TestHugeBatch(t *testing.T) {
	s := start(t, Options{MaxRequest: 16 << 20}, serve.Options{MaxQueue: 16})
	const n = 5001 // minibatches have 8 examples
	row := []float32{0.5, -1, 2}
	q := rpcQuestion()
	q.Inputs[0].Shape, q.Inputs[0].Contents = []int64{n, 3}, nil
	x := make([]byte, 0, n*12)
	for i := range n {
		row[0] = float32(i % 7)
		x = toBytes(x, row)
	}
	q.RawInputContents = [][]byte{x}
	reply := &pb.ModelInferResponse{}
	if err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", q, reply); err != nil {
		t.Fatal(err)
	}
	y := reply.RawOutputContents[0]
	for i := 7; i < n; i++ {
		if string(y[8*i:8*i+8]) != string(y[8*(i-7):8*(i-7)+8]) {
			t.Fatalf("example %d has another answer than example %d, which is the same", i, i-7)
		}
	}
}

// TestOpen: duplicate names and versions, unreadable files, and ports in use are errors.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.zip")
	saved(t, path, 1)
	quiet := slog.New(slog.DiscardHandler)
	for wants, specs := range map[string][]Spec{"two models are m": {{"m", "1", path}, {"m", "1", path}},
		"model x: ": {{"x", "1", path + "none"}}} {
		if _, err := OpenRepository(t.Context(), specs, serve.Options{}, quiet); err == nil ||
			!strings.Contains(err.Error(), wants) {
			t.Errorf("%v: %v", specs, err)
		}
	}
	for _, text := range []string{"m", "=f", "m=", "m/0=f", "m/x=f", "a b=f", "m:x=f", "a/b/2=f"} {
		if s, err := ParseSpec(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
	s := start(t, Options{}, serve.Options{})
	for _, o := range []Options{{HTTP: strings.TrimPrefix(s.web, "http://"), Log: quiet},
		{HTTP: "127.0.0.1:0", GRPC: s.rpc.Target(), Log: quiet}} {
		_, err := Listen(s.models, o)
		if err == nil || !strings.Contains(err.Error(), ": another program uses this port; choose another with --") {
			t.Errorf("a port in use: %v", err)
		}
	}
}

// TestURLs: models can be at http and s3 URLs; a changed one on S3 is reloaded.
func TestURLs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.zip")
	saved(t, path, 1)
	s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/bucket/m.zip" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("ETag", `"x"`)
		http.ServeFile(w, r, path)
	}))
	defer s3.Close()
	for k, v := range map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_ENDPOINT_URL": s3.URL, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "here", "AWS_PROFILE": "", "AWS_CA_BUNDLE": ""} {
		t.Setenv(k, v)
	}
	r, err := OpenRepository(t.Context(), []Spec{{"file", "1", "file://" + path}, {"s3", "1", "s3://bucket/m.zip"}},
		serve.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ask := func(name string) string {
		a, err := r.Answer(t.Context(), name, "", []byte(`{"a":1,"b":2,"c":3}`))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(a[0].Probabilities)
	}
	before := ask("file")
	if got := ask("s3"); got != before {
		t.Errorf("from S3 %s, not %s", got, before)
	}
	saved(t, path, 2)
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	r.Reload(t.Context())
	if after := ask("file"); after == before || ask("s3") != after {
		t.Errorf("after the change: %s and %s, before %s", after, ask("s3"), before)
	}
}

// TestReadyOfABrokenFile: the health page tells which model's file is broken; if there is a token, it names no file.
func TestReadyOfABrokenFile(t *testing.T) {
	for _, token := range []string{"", "secret"} {
		s := start(t, Options{Token: token}, serve.Options{})
		if err := os.WriteFile(s.path, []byte("broken"), 0o666); err != nil {
			t.Fatal(err)
		}
		s.models.Reload(context.Background())
		code, _, text := s.get("/v2/health/ready")
		var page struct{ Models []State }
		if err := json.Unmarshal(text, &page); err != nil || code != 200 || len(page.Models) != 2 ||
			!strings.HasPrefix(page.Models[0].Reason, staleFile) || strings.Contains(string(text), s.path) != (token == "") {
			t.Errorf("with the token %q: %d %s", token, code, text)
		}
	}
}

// TestCutOff: a client that disappears in the middle of a request leaves nothing behind.
func TestCutOff(t *testing.T) {
	s := start(t, Options{}, serve.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	body, w := io.Pipe()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.web+"/v2/models/m/infer", body)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		answer, err := http.DefaultClient.Do(r)
		if err == nil {
			answer.Body.Close()
		}
		ended <- err
	}()
	if _, err := io.WriteString(w, `{"inputs":`); err != nil {
		t.Fatal(err)
	}
	cancel()
	w.CloseWithError(context.Canceled) // the client may wait for the end of the body before it gives up
	if err := <-ended; err == nil {
		t.Error("a request that was given up has an answer")
	}
	if code, _, _ := s.post("/v2/models/m/infer", []byte(jsonQuestion)); code != 200 {
		t.Errorf("afterwards: %d", code)
	}
}
