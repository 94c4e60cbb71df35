package spark

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
	"github.com/dl4go/dl4go/internal/spark/deploy"
)

// fake is a Spark Connect server in this process, on loopback, with the settings of one session.
type fake struct {
	name    string // of the session on this server
	version string // Spark's
	port    int

	mu       sync.Mutex
	settings map[string]string
	err      error // the answer to every request, if not nil
	headers  []metadata.MD
	observed []string                 // the server's session names in the requests
	arrived  map[string][]byte        // artifacts
	levels   []*protocol.StorageLevel // the requested storage levels of relations
	execute  func(*protocol.ExecutePlanRequest, func(*protocol.ExecutePlanResponse) error) error
}

func startFake(t *testing.T, name string) *fake {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{name: name, version: "4.1.4", arrived: make(map[string][]byte), port: listener.Addr().(*net.TCPAddr).Port,
		settings: make(map[string]string)}
	server := grpc.NewServer(grpc.UnknownServiceHandler(f.serve))
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return f
}

func (f *fake) address() connect.Address {
	return connect.Address{Host: "127.0.0.1", Port: f.port, SessionID: "00112233-4455-6677-8899-aabbccddeeff"}
}

// set changes a setting. The value "" removes it.
func (f *fake) set(key, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.settings[key] = value; value == "" {
		delete(f.settings, key)
	}
}

// fail makes every request fail with an error from now on.
func (f *fake) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fake) serve(_ any, stream grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(stream)
	header, _ := metadata.FromIncomingContext(stream.Context())
	f.mu.Lock()
	f.headers = append(f.headers, header)
	failed := f.err
	f.mu.Unlock()
	if failed != nil {
		return failed
	}
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "AnalyzePlan":
		r := new(protocol.AnalyzePlanRequest)
		if err := f.receive(stream, r, func() *string { return r.ClientObservedServerSideSessionId }); err != nil {
			return err
		}
		if p := r.GetPersist(); p != nil {
			f.mu.Lock()
			f.levels = append(f.levels, p.StorageLevel)
			f.mu.Unlock()
		}
		return stream.SendMsg(&protocol.AnalyzePlanResponse{ServerSideSessionId: f.name,
			Result: &protocol.AnalyzePlanResponse_SparkVersion_{
				SparkVersion: &protocol.AnalyzePlanResponse_SparkVersion{Version: f.version}}})
	case "AddArtifacts":
		return f.artifacts(stream)
	case "Config":
		r := new(protocol.ConfigRequest)
		if err := f.receive(stream, r, func() *string { return r.ClientObservedServerSideSessionId }); err != nil {
			return err
		}
		answer := &protocol.ConfigResponse{ServerSideSessionId: f.name}
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, p := range r.Operation.GetSet().GetPairs() {
			f.settings[p.Key] = *p.Value
		}
		for _, key := range r.Operation.GetGetOption().GetKeys() {
			pair := &protocol.KeyValue{Key: key}
			if value, ok := f.settings[key]; ok {
				pair.Value = &value
			}
			answer.Pairs = append(answer.Pairs, pair)
		}
		return stream.SendMsg(answer)
	case "ExecutePlan":
		r := new(protocol.ExecutePlanRequest)
		if err := f.receive(stream, r, func() *string { return r.ClientObservedServerSideSessionId }); err != nil {
			return err
		}
		return f.execute(r, func(a *protocol.ExecutePlanResponse) error { return stream.SendMsg(a) })
	case "ReleaseExecute":
		return stream.SendMsg(new(protocol.ReleaseExecuteResponse))
	case "ReleaseSession":
		return stream.SendMsg(new(protocol.ReleaseSessionResponse))
	}
	return errors.New("the test has no answer to " + path)
}

// artifacts receives all artifacts of a stream.
func (f *fake) artifacts(stream grpc.ServerStream) error {
	answer, name := new(protocol.AddArtifactsResponse), ""
	add := func(chunk *protocol.AddArtifactsRequest_ArtifactChunk) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.arrived[name] = append(f.arrived[name], chunk.Data...)
	}
	begin := func(n string) {
		name = n
		answer.Artifacts = append(answer.Artifacts, &protocol.AddArtifactsResponse_ArtifactSummary{Name: n,
			IsCrcSuccessful: true})
	}
	for {
		r := new(protocol.AddArtifactsRequest)
		if err := stream.RecvMsg(r); err == io.EOF {
			return stream.SendMsg(answer)
		} else if err != nil {
			return err
		}
		switch p := r.Payload.(type) {
		case *protocol.AddArtifactsRequest_Batch_:
			for _, a := range p.Batch.Artifacts {
				begin(a.Name)
				add(a.Data)
			}
		case *protocol.AddArtifactsRequest_BeginChunk:
			begin(p.BeginChunk.Name)
			add(p.BeginChunk.InitialChunk)
		case *protocol.AddArtifactsRequest_Chunk:
			add(p.Chunk)
		}
	}
}

// receive reads a request. Like Spark, it refuses one for a session of another server.
func (f *fake) receive(stream grpc.ServerStream, r proto.Message, observed func() *string) error {
	if err := stream.RecvMsg(r); err != nil {
		return err
	}
	if id := observed(); id != nil {
		f.mu.Lock()
		f.observed = append(f.observed, *id)
		f.mu.Unlock()
		if *id != f.name {
			return status.Error(codes.Internal, "[INVALID_HANDLE.SESSION_CHANGED] The handle is invalid.")
		}
	}
	return nil
}

// open opens a session, as a driver does.
func (f *fake) open(t *testing.T, a connect.Address) *connect.Session {
	t.Helper()
	s, err := connect.Open(t.Context(), a, connect.Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(t.Context()) })
	return s
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// bareEngine returns an engine with two slots and no session.
func bareEngine(t *testing.T) *Engine {
	c := newCluster(connect.Address{}, engine.Options{Log: quiet}.WithDefaults(), connect.Options{}, new(deploy.Program))
	c.base, c.slots = t.Context(), 2
	return newEngine(c)
}
