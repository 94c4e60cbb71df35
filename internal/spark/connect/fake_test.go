package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// fake is a server in this process, on loopback. It answers as a Spark Connect server does, except where handle says
// otherwise.
type fake struct {
	port   int
	server *grpc.Server

	mu     sync.Mutex
	handle map[string]func(*fakeCall) error // by method
	calls  map[string][]proto.Message       // the requests of each method
	header metadata.MD                      // of the last request
}

// fakeCall is one request.
type fakeCall struct {
	*fake
	method  string
	request proto.Message
	stream  grpc.ServerStream
	n       int // the number of earlier requests of the method
}

func (c *fakeCall) send(m proto.Message) error { return c.stream.SendMsg(m) }

const fakeSession = "server-side"

func startFake(t *testing.T, options ...grpc.ServerOption) *fake {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{port: listener.Addr().(*net.TCPAddr).Port, calls: make(map[string][]proto.Message),
		handle: make(map[string]func(*fakeCall) error)}
	f.server = newFakeServer(f, options...)
	go f.server.Serve(listener)
	t.Cleanup(f.server.Stop)
	return f
}

func newFakeServer(f *fake, options ...grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options, grpc.UnknownServiceHandler(f.serve))...)
}

var fakeMethods = map[string]struct{ request, answer proto.Message }{
	"AnalyzePlan": {new(protocol.AnalyzePlanRequest), &protocol.AnalyzePlanResponse{ServerSideSessionId: fakeSession,
		Result: &protocol.AnalyzePlanResponse_SparkVersion_{
			SparkVersion: &protocol.AnalyzePlanResponse_SparkVersion{Version: "4.1.4"}}}},
	"Config":            {new(protocol.ConfigRequest), new(protocol.ConfigResponse)},
	"Interrupt":         {new(protocol.InterruptRequest), new(protocol.InterruptResponse)},
	"ReleaseExecute":    {new(protocol.ReleaseExecuteRequest), new(protocol.ReleaseExecuteResponse)},
	"ReleaseSession":    {new(protocol.ReleaseSessionRequest), new(protocol.ReleaseSessionResponse)},
	"FetchErrorDetails": {new(protocol.FetchErrorDetailsRequest), new(protocol.FetchErrorDetailsResponse)},
	"AddArtifacts":      {new(protocol.AddArtifactsRequest), nil},
	"ExecutePlan":       {new(protocol.ExecutePlanRequest), nil},
	"ReattachExecute":   {new(protocol.ReattachExecuteRequest), nil},
}

func (f *fake) serve(_ any, stream grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(stream)
	method := strings.TrimPrefix(path, service)
	m := fakeMethods[method]
	c := &fakeCall{fake: f, method: method, stream: stream, request: proto.Clone(m.request)}
	if method != "AddArtifacts" {
		if err := stream.RecvMsg(c.request); err != nil {
			return err
		}
	}
	f.mu.Lock()
	c.n = len(f.calls[method])
	f.calls[method] = append(f.calls[method], c.request)
	f.header, _ = metadata.FromIncomingContext(stream.Context())
	handle := f.handle[method]
	f.mu.Unlock()
	if handle != nil {
		return handle(c)
	}
	if m.answer == nil {
		return errors.New("the test has no answer to " + method)
	}
	return c.send(m.answer)
}

// on sets how a method is answered from now on.
func (f *fake) on(method string, handle func(*fakeCall) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handle[method] = handle
}

// requests returns the requests of a method so far.
func (f *fake) requests(method string) []proto.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]proto.Message(nil), f.calls[method]...)
}

func (f *fake) address() Address { return Address{Host: "127.0.0.1", Port: f.port} }

// quick returns options with waits short enough for tests. A stream that a busy machine makes last is still a failed
// attempt.
func quick() Options {
	return Options{Retry: Retry{Attempts: 4, First: time.Millisecond, Longest: time.Minute},
		CallTimeout: time.Minute, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func (f *fake) open(t *testing.T, o Options) *Session {
	t.Helper()
	s, err := Open(t.Context(), f.address(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// rows returns an answer with this ID and the rows from, … to-1.
func rows(id string, from, to int64) *protocol.ExecutePlanResponse {
	var values []int64
	for i := from; i < to; i++ {
		values = append(values, i)
	}
	b := &arrow.Batch{Schema: arrow.Schema{{Name: "i", Type: arrow.Of(arrow.Int64)}}, Rows: len(values),
		Columns: []arrow.Column{arrow.Int64s(values)}}
	return &protocol.ExecutePlanResponse{ResponseId: id, ServerSideSessionId: fakeSession,
		ResponseType: &protocol.ExecutePlanResponse_ArrowBatch_{ArrowBatch: &protocol.ExecutePlanResponse_ArrowBatch{
			RowCount: to - from, StartOffset: &from, Data: arrow.Write(b)}}}
}

func complete(id string) *protocol.ExecutePlanResponse {
	return &protocol.ExecutePlanResponse{ResponseId: id, ResponseType: &protocol.ExecutePlanResponse_ResultComplete_{
		ResultComplete: new(protocol.ExecutePlanResponse_ResultComplete)}}
}

// values collects the rows of answers that rows made.
func values(ctx context.Context, s *Session, run Run) ([]int64, error) {
	var got []int64
	err := s.Collect(ctx, SQL("SELECT i"), run, func(b *arrow.Batch) error {
		for i := range b.Rows {
			got = append(got, b.Columns[0].Int(i))
		}
		return nil
	})
	return got, err
}

// leaves checks at the end of the test, after all its cleanups, that no goroutine and no file is left.
func leaves(t *testing.T) {
	count := func() (goroutines, files int) {
		fds, _ := os.ReadDir("/proc/self/fd")
		return runtime.NumGoroutine(), len(fds)
	}
	goroutines, files := count()
	t.Cleanup(func() {
		await.Until(t, fmt.Sprintf("%d goroutines and %d open files, as before", goroutines, files), func() (any, bool) {
			g, f := count()
			return []int{g, f}, g <= goroutines && f <= files
		})
	})
}

// says checks that an error is an Error whose text has these parts.
func says(t *testing.T, err error, parts ...string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("got %v, wanted an Error", err)
		return &Error{}
	}
	for _, part := range append(parts, "Spark at ") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, wanted %q in it", err, part)
		}
	}
	return e
}
