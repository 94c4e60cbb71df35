package serving

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/data"
	pb "github.com/dl4go/dl4go/internal/serving/protocol"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/tensor"
)

// saved writes a perceptron with named columns and classes, initialised from a seed.
func saved(t *testing.T, path string, seed int64) *nn.MultiLayer {
	t.Helper()
	net, err := nn.New(nn.Configuration{Seed: seed, InputType: inputtype.FeedForward(3), Layers: []layer.Layer{
		layer.Dense{NOut: 5, Activation: activation.TanH{}},
		layer.Output{NOut: 2, Activation: activation.Softmax{}, Loss: loss.NewMCXENT()}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(net.Close)
	if err := net.SetSchema(&data.Schema{Features: []string{"a", "b", "c"}, Classes: []string{"no", "yes"}}); err != nil {
		t.Fatal(err)
	}
	if err := net.Save(t.Context(), path, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	return net
}

// serving is a server on the loopback interface, with a client.
type serving struct {
	*testing.T
	models    *Repository
	web, path string
	rpc       *grpc.ClientConn
	held      *budget
	net       *nn.MultiLayer
	stop      func() error
}

func start(t *testing.T, o Options, p serve.Options, more ...Spec) *serving {
	t.Helper()
	s := &serving{T: t, path: filepath.Join(t.TempDir(), "m.zip")}
	s.net = saved(t, s.path, 1)
	o.HTTP, o.GRPC = "127.0.0.1:0", "127.0.0.1:0"
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Slow = time.Hour; o.Timeout == 0 { // no test depends on these limits
		o.Timeout = time.Hour
	}
	if o.MaxRequest == 0 {
		o.MaxRequest = 1 << 20
	}
	o.Drain = time.Hour
	p.MaxBatch = 8
	var err error
	all := append(more, Spec{"m", "1", s.path}, Spec{"m", "2", s.path})
	if s.models, err = OpenRepository(t.Context(), all, p, o.Log); err != nil {
		t.Fatal(err)
	}
	server, err := Listen(s.models, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	s.stop = func() error {
		cancel()
		err := <-ended
		ended <- nil
		return err
	}
	web, rpc := server.Addresses()
	s.web, s.held = "http://"+web, server.held
	if s.rpc, err = grpc.NewClient(rpc, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.rpc.Close()
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		s.models.Close()
	})
	return s
}

// post sends a body, and returns the status, headers and body of the response.
func (s *serving) post(path string, body []byte, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.web+path, bytes.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	return s.send(r, headers...)
}

func (s *serving) get(path string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.web+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	return s.send(r, headers...)
}

func (s *serving) send(r *http.Request, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, answer.Header, text
}

// features returns two examples, and the network's outputs for them.
func (s *serving) features() (x, y []float32) {
	s.Helper()
	x = []float32{0.5, -1, 2, 3, 0.25, -0.125}
	out, err := s.net.Output(&data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(x, 2, 3)}}, false)
	if err != nil {
		s.Fatal(err)
	}
	return x, out[0].Data
}

const jsonQuestion = `{"id":"q","inputs":[{"name":"input","shape":[2,3],"datatype":"FP32",` +
	`"data":[[0.5,-1,2],[3,0.25,-0.125]]}]}`

// TestInfer: JSON, binary tensors, and typed and raw contents of gRPC give exactly the network's outputs.
func TestInfer(t *testing.T) {
	s := start(t, Options{}, serve.Options{})
	x, want := s.features()
	same := func(form string, got []float32) {
		t.Helper()
		if !bytes.Equal(toBytes(nil, got), toBytes(nil, want)) {
			t.Errorf("%s: %v, not %v", form, got, want)
		}
	}
	for _, path := range []string{"/v2/models/m/infer", "/v2/models/m/versions/1/infer"} {
		code, _, text := s.post(path, []byte(jsonQuestion))
		var reply inferReply
		if err := json.Unmarshal(text, &reply); code != 200 || err != nil || reply.ID != "q" || len(reply.Outputs) != 1 {
			t.Fatalf("%s: %d %s", path, code, text)
		}
		same(path, reply.Outputs[0].Data)
	}
	head := `{"inputs":[{"name":"input","shape":[2,3],"datatype":"FP32","parameters":{"binary_data_size":24}}],` +
		`"outputs":[{"name":"output","parameters":{"binary_data":true}}]}`
	code, header, text := s.post("/v2/models/m/infer", toBytes([]byte(head), x), lengthHeader, strconv.Itoa(len(head)))
	n, err := strconv.Atoi(header.Get(lengthHeader))
	if code != 200 || err != nil || n > len(text) {
		t.Fatalf("binary: %d %q", code, text)
	}
	got, err := fromBytes("output", "FP32", text[n:])
	if err != nil {
		t.Fatal(err)
	}
	same("binary", got)
	q := &pb.ModelInferRequest{ModelName: "m", Inputs: []*pb.ModelInferRequest_InferInputTensor{
		{Name: "input", Datatype: "FP32", Shape: []int64{2, 3}, Contents: &pb.InferTensorContents{Fp32Contents: x}}}}
	reply := &pb.ModelInferResponse{}
	if err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", q, reply); err != nil {
		t.Fatal(err)
	}
	same("gRPC", reply.Outputs[0].Contents.Fp32Contents)
	q.Inputs[0].Contents, q.RawInputContents = nil, [][]byte{toBytes(nil, x)}
	if err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", q, reply); err != nil {
		t.Fatal(err)
	}
	if got, err = fromBytes("output", "FP32", reply.RawOutputContents[0]); err != nil {
		t.Fatal(err)
	}
	same("gRPC, raw", got)
	for _, body := range []string{`{"rows":[{"a":0.5,"b":-1,"c":2},{"a":3,"b":0.25,"c":-0.125}]}`,
		`{"rows":[{"a":0.5,"b":-1,"c":2},[3,0.25,-0.125]]}`, `{"instances":[[0.5,-1,2],[3,0.25,-0.125]]}`} {
		code, _, text = s.post("/v1/models/m:predict", []byte(body))
		var named struct{ Predictions []NamedAnswer }
		if err := json.Unmarshal(text, &named); code != 200 || err != nil || len(named.Predictions) != 2 {
			t.Fatalf("%s: %d %s", body, code, text)
		}
		same(body, []float32{float32(named.Predictions[0].Probabilities["no"]),
			float32(named.Predictions[0].Probabilities["yes"]),
			float32(named.Predictions[1].Probabilities["no"]), float32(named.Predictions[1].Probabilities["yes"])})
	}
}

// TestBadInput: each mistake is a client error with its reason.
func TestBadInput(t *testing.T) {
	s := start(t, Options{MaxRequest: 4096}, serve.Options{})
	infer := func(of string) string { return strings.ReplaceAll(of, `'`, `"`) }
	for _, c := range []struct {
		path, body string
		code       int
		wants      string
	}{
		{"/v2/models/none/infer", jsonQuestion, 404, `no model`},
		{"/v2/models/m/versions/7/infer", jsonQuestion, 404, `version`},
		{"/v2/models/m/infer", `{`, 400, "not an inference request"},
		{"/v2/models/m/infer", `{}`, 400, `\"input\" is missing`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'x','shape':[1,3],'datatype':'FP32','data':[1,2,3]}]}`), 400,
			`no input`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[1,3],'datatype':'FP32','data':[1,2]}]}`), 400,
			`2 numbers`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[1,4],'datatype':'FP32','data':[1,2,3,4]}]}`), 400,
			`takes [-1 3]`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[-1,3],'datatype':'FP32','data':[]}]}`), 400,
			`shape`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[9999999999,3],'datatype':'FP32','data':[]}]}`), 400,
			`shape`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[0,3],'datatype':'FP32','data':[]}]}`), 400,
			`no examples`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[1,3],'datatype':'BYTES','data':['a','b','c']}]}`),
			400, `datatype`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[1,3],'datatype':'FP32','data':['a',2,3]}]}`), 400,
			`not a list of numbers, as FP32 wants`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[1,3],'datatype':'FP32','data':[1,true,3]}]}`), 400,
			`not a list of numbers, as FP32 wants`},
		{"/v2/models/m/infer", infer(`{'inputs':[{'name':'input','shape':[1,3],'datatype':'FP32','data':[1e39,2,3]}]}`), 400,
			`+Inf`},
		{"/v2/models/m/infer", strings.Repeat(" ", 5000), 413, "4096 bytes"},
		{"/v1/models/m:predict", `{"rows":[{"a":1,"b":2}]}`, 400, `row 0: there is no value \"c\"`},
		{"/v1/models/m:predict", `{"rows":[{"a":1,"b":2,"c":"x"}]}`, 400, "is not a number"},
		{"/v1/models/m:predict", `{"rows":[1]}`, 400, "row 0 is not a JSON object"},
		{"/v1/models/m:predict", `{"rows":[]}`, 400, "no rows"},
		{"/v1/models/m:predict", `{"instances":[[1,2,3],[1,2]]}`, 400, "row 1 is a list of 2 values"},
		{"/v1/models/m:predict", `{"instances":[7]}`, 400, "row 0 is not a JSON object"},
		{"/v1/models/m:predict", `{"inputs":[[1,2,3]]}`, 400, "takes tensors"},
		{"/v2/models/m/infer", `{"instances":[[1,2,3]]}`, 400, `\"input\" is missing`},
		{"/v1/models/m:predict", `[]`, 400, "not a JSON object"},
		{"/v1/models/m:explain", `{}`, 404, "predict"},
	} {
		code, _, text := s.post(c.path, []byte(c.body))
		if code != c.code || !strings.Contains(string(text), c.wants) {
			t.Errorf("%s %.90s: %d %s; wanted %d and %s", c.path, c.body, code, text, c.code, c.wants)
		}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := z.Write(make([]byte, 1<<20)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for encoding, want := range map[string]int{"gzip": 413, "deflate": 400, "br": 400} {
		code, _, text := s.post("/v2/models/m/infer", bomb.Bytes(), "Content-Encoding", encoding)
		if code != want {
			t.Errorf("a megabyte of zeros as %s: %d %s; wanted %d", encoding, code, text, want)
		}
	}
	for _, header := range []string{"x", "-1", "99999"} {
		if code, _, text := s.post("/v2/models/m/infer", []byte("{}"), lengthHeader, header); code != 400 {
			t.Errorf("%s %s: %d %s", lengthHeader, header, code, text)
		}
	}
	bad := []*pb.ModelInferRequest{{ModelName: "m"}, {ModelName: "m", RawInputContents: [][]byte{{1}}},
		{ModelName: "m", Inputs: []*pb.ModelInferRequest_InferInputTensor{nil}},
		{ModelName: "m", Inputs: []*pb.ModelInferRequest_InferInputTensor{{Name: "input", Datatype: "FP32",
			Shape: []int64{1, 3}}}}}
	for _, q := range bad {
		err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", q, &pb.ModelInferResponse{})
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("gRPC: %v: %v", q, err)
		}
	}
}

// TestLimits: a full queue gives 429 and RESOURCE_EXHAUSTED, an expired deadline 504 and DEADLINE_EXCEEDED.
func TestLimits(t *testing.T) {
	for code, want := range map[error]outcome{serve.ErrOverloaded: full, serve.ErrClosed: closed,
		context.DeadlineExceeded: late,
		&NotFoundError{}:         notFound, &data.ValueError{Array: "outputs"}: failed, badf("x"): bad, nil: done} {
		if got := outcomeOf(code); got != want {
			t.Errorf("%v is %v, not %v", code, got, want)
		}
	}
	if full.http() != 429 || full.grpc() != codes.ResourceExhausted || late.http() != 504 ||
		late.grpc() != codes.DeadlineExceeded {
		t.Error("the outcomes have other numbers")
	}
	s := start(t, Options{Timeout: 1}, serve.Options{})
	if code, _, text := s.post("/v1/models/m:predict", []byte(`{"a":1,"b":2,"c":3}`)); code != 504 {
		t.Errorf("after the deadline: %d %s", code, text)
	}
}

// TestReload: a changed file is served without a lost request. If it is broken, the model stays, and the index says
// so.
func TestReload(t *testing.T) {
	s := start(t, Options{}, serve.Options{})
	_, before := s.features()
	ask := func() []float32 {
		code, _, text := s.post("/v2/models/m/versions/1/infer", []byte(jsonQuestion))
		var reply inferReply
		if err := json.Unmarshal(text, &reply); code != 200 || err != nil {
			t.Errorf("%d %s", code, text)
			return nil
		}
		return reply.Outputs[0].Data
	}
	stop, asked := make(chan bool), make(chan bool)
	go func() {
		defer close(asked)
		for {
			select {
			case <-stop:
				return
			default:
				ask()
			}
		}
	}()
	for k := range 5 {
		s.net = saved(t, s.path, int64(2+k))
		later := time.Now().Add(time.Duration(k+1) * time.Hour)
		if err := os.Chtimes(s.path, later, later); err != nil {
			t.Fatal(err)
		}
		s.models.Reload(t.Context())
	}
	_, after := s.features()
	if got := ask(); !bytes.Equal(toBytes(nil, got), toBytes(nil, after)) ||
		bytes.Equal(toBytes(nil, after), toBytes(nil, before)) {
		t.Errorf("after the file has changed: %v, not %v", got, after)
	}
	if err := os.WriteFile(s.path, []byte("PK broken"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.models.Reload(t.Context())
	}
	if got := ask(); !bytes.Equal(toBytes(nil, got), toBytes(nil, after)) {
		t.Errorf("with a broken file: %v, not %v", got, after)
	}
	if code, _, text := s.get("/v2/repository/index"); code != 200 || !strings.Contains(string(text), "can't be loaded") {
		t.Errorf("index: %d %s", code, text)
	}
	close(stop)
	<-asked
}

// TestToken: without the token, only health is accessible.
func TestToken(t *testing.T) {
	s := start(t, Options{Token: "secret"}, serve.Options{})
	for _, c := range []struct {
		path, header string
		code         int
	}{{"/v2/health/ready", "", 200}, {"/v2/models/m", "", 401}, {"/v2/models/m", "Bearer wrong", 401},
		{"/v2/models/m", "Bearer secret", 200}, {"/metrics", "", 401}} {
		if code, _, text := s.get(c.path, "Authorization", c.header); code != c.code {
			t.Errorf("%s with %q: %d %s", c.path, c.header, code, text)
		}
	}
	meta := &pb.ModelMetadataResponse{}
	q := &pb.ModelMetadataRequest{Name: "m"}
	if err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelMetadata", q, meta); status.Code(err) != codes.Unauthenticated {
		t.Errorf("gRPC without a token: %v", err)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer secret")
	if err := s.rpc.Invoke(ctx, "/"+rpcName+"/ModelMetadata", q, meta); err != nil ||
		fmt.Sprint(meta.Inputs[0].Shape) != "[-1 3]" {
		t.Errorf("gRPC with a token: %v %v", meta, err)
	}
}

// TestPages: metadata, metrics and lists.
func TestPages(t *testing.T) {
	s := start(t, Options{Version: "v"}, serve.Options{})
	s.post("/v2/models/m/infer", []byte(jsonQuestion))
	for wants, path := range map[string]string{"binary_tensor_data": "/v2", `"classes":["no","yes"]`: "/v2/models/m",
		`"versions":["1","2"]`: "/v2/models/m/versions/2", "READY": "/v2/repository/index",
		`dl4go_serve_requests_total{model="m",outcome="ok",version="2"} 1`: "/metrics",
		"\nprocess_cpu_seconds_total ":                                     "/metrics", "\ngo_goroutines ": "/metrics"} {
		if code, _, text := s.get(path); code != 200 || !strings.Contains(string(text), wants) {
			t.Errorf("%s: %d %s; wanted %s", path, code, text, wants)
		}
	}
	if code, _, _ := s.get("/v2/models/none/ready"); code != 404 {
		t.Errorf("a model that is not there is ready: %d", code)
	}
}

// TestNumbers: the datatypes of numbers are read.
func TestNumbers(t *testing.T) {
	for datatype, b := range map[string][]byte{"FP16": {0, 0xc5}, "INT8": {0xfb}, "INT16": {0xfb, 0xff},
		"INT32": {0xfb, 0xff, 0xff, 0xff},
		"INT64": {0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "FP64": {0, 0, 0, 0, 0, 0, 0x14, 0xc0}} {
		if got, err := fromBytes("x", datatype, b); err != nil || len(got) != 1 || got[0] != -5 {
			t.Errorf("%s: %v %v", datatype, got, err)
		}
	}
	for b, want := range map[uint16]float32{0: 0, 1: float32(math.Ldexp(1, -24)), 0x3c00: 1, 0x7bff: 65504,
		0x7c00: float32(math.Inf(1))} {
		if got := half(b); got != want {
			t.Errorf("half %#x: %v, not %v", b, got, want)
		}
	}
}
