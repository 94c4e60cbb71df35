package serving

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/cpu"
	pb "github.com/dl4go/dl4go/internal/serving/protocol"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/serve"
)

// gate stops minibatches while it is shut.
type gate struct {
	mu     sync.Mutex
	opened *sync.Cond
	isShut bool
	at     int // number of minibatches that wait
}

func newGate() *gate {
	g := &gate{}
	g.opened = sync.NewCond(&g.mu)
	return g
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.isShut = shut
	g.opened.Broadcast()
}

// await waits until a minibatch stands before the gate.
func (g *gate) await(t *testing.T) {
	t.Helper()
	await.Until(t, "a minibatch before the gate", func() (any, bool) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.at, g.at == 1
	})
}

func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at++
	for g.isShut {
		g.opened.Wait()
	}
	g.at--
}

// executor makes an executor whose runs go through the gate.
func (g *gate) executor() (serve.Executor, error) {
	return gated{cpu.New(cpu.Options{Threads: 1}), g}, nil
}

type gated struct {
	*cpu.Executor
	gate *gate
}

func (e gated) Compile(p *program.Program) (program.Executable, error) {
	x, err := e.Executor.Compile(p)
	return gatedRun{x, e.gate}, err
}

type gatedRun struct {
	program.Executable
	gate *gate
}

func (r gatedRun) Run(b *program.Bindings) error {
	r.gate.pass()
	return r.Executable.Run(b)
}

// blocked starts a server whose only slot is taken by a request, and whose queue of two examples is full. answers
// returns the status codes of these two requests, once the gate is open.
func blocked(t *testing.T, g *gate, o Options) (s *serving, answers func() [2]int) {
	t.Helper()
	s = start(t, o, serve.Options{Concurrency: 1, MaxQueue: 2, Executor: g.executor})
	g.set(true)
	t.Cleanup(func() { g.set(false) })
	var codes [2]int
	var asked sync.WaitGroup
	ask := func(i int) {
		asked.Go(func() { codes[i], _, _ = s.post("/v2/models/m/versions/1/infer", []byte(jsonQuestion)) })
	}
	ask(0)
	g.await(t)
	ask(1)
	waiting := s.models.places[0].model.predictor.Waiting
	await.Until(t, "a request that waits", func() (any, bool) {
		n := waiting()
		return n, n == 2
	})
	return s, func() [2]int {
		g.set(false)
		asked.Wait()
		return codes
	}
}

// rpcQuestion is the gRPC request for the examples of jsonQuestion.
func rpcQuestion() *pb.ModelInferRequest {
	return &pb.ModelInferRequest{ModelName: "m", ModelVersion: "1", Inputs: []*pb.ModelInferRequest_InferInputTensor{{
		Name: "input", Datatype: "FP32", Shape: []int64{2, 3},
		Contents: &pb.InferTensorContents{Fp32Contents: []float32{0.5, -1, 2, 3, 0.25, -0.125}}}}}
}

// TestFull: requests that find the queue full are refused, over HTTP and gRPC. Waiting requests are answered, and the
// server stays live.
func TestFull(t *testing.T) {
	s, answers := blocked(t, newGate(), Options{})
	code, header, text := s.post("/v2/models/m/versions/1/infer", []byte(jsonQuestion))
	if code != http.StatusTooManyRequests || header.Get("Retry-After") == "" {
		t.Errorf("with a full queue: %d %v %s", code, header, text)
	}
	err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", rpcQuestion(), &pb.ModelInferResponse{})
	if status.Code(err) != codes.ResourceExhausted {
		t.Errorf("gRPC with a full queue: %v", err)
	}
	if code, _, _ := s.get("/v2/health/live"); code != 200 {
		t.Errorf("health with a full queue: %d", code)
	}
	if got := answers(); got != [2]int{200, 200} {
		t.Errorf("the requests that waited: %v", got)
	}
}

// TestDeadline: a request that waits too long gets 504 or DEADLINE_EXCEEDED, also with the client's own deadline.
func TestDeadline(t *testing.T) {
	g := newGate()
	s := start(t, Options{Timeout: 20 * time.Millisecond}, serve.Options{Concurrency: 1, Executor: g.executor})
	g.set(true)
	defer g.set(false)
	held := make(chan error, 1)
	go func() { // takes the slot directly, because the server would give up the request
		_, err := s.models.places[0].model.predictor.PredictRow(t.Context(), []float64{1, 2, 3})
		held <- err
	}()
	g.await(t)
	if code, _, text := s.post("/v2/models/m/versions/1/infer", []byte(jsonQuestion)); code != http.StatusGatewayTimeout {
		t.Errorf("after the deadline: %d %s", code, text)
	}
	err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", rpcQuestion(), &pb.ModelInferResponse{})
	if status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("gRPC after the deadline: %v", err)
	}
	g.set(false)
	if err := <-held; err != nil {
		t.Error(err)
	}
}

// TestDrain: when the server ends, it answers the current requests, and accepts no more.
func TestDrain(t *testing.T) {
	s, answers := blocked(t, newGate(), Options{})
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	await.Until(t, "a server that takes no more requests", func() (any, bool) {
		r, err := http.Get(s.web + "/v2/health/live")
		if err == nil {
			r.Body.Close()
		}
		return err, err != nil
	})
	if got := answers(); got != [2]int{200, 200} {
		t.Errorf("the requests under way: %v", got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
