package connect

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// TestOpenFails tests servers on which no session can begin.
func TestOpenFails(t *testing.T) {
	version := func(v string) func(*fakeCall) error {
		return func(c *fakeCall) error {
			return c.send(&protocol.AnalyzePlanResponse{Result: &protocol.AnalyzePlanResponse_SparkVersion_{
				SparkVersion: &protocol.AnalyzePlanResponse_SparkVersion{Version: v}}})
		}
	}
	for name, c := range map[string]struct {
		answer func(*fakeCall) error
		parts  []string
	}{
		"a wrong token": {func(c *fakeCall) error {
			if c.header.Get("authorization")[0] == "Bearer secret" {
				return status.Error(codes.Unauthenticated, "Invalid authentication token")
			}
			return errors.New("no token")
		}, []string{"Invalid authentication token", "another token"}},
		"no right": {func(*fakeCall) error { return status.Error(codes.PermissionDenied, "user x may not connect") },
			[]string{"user x may not connect", "ask who runs it"}},
		"another service": {func(*fakeCall) error { return status.Error(codes.Unimplemented, "unknown service") },
			[]string{"no Spark Connect server", "3.5"}},
		"Spark 3.4": {version("3.4.1"), []string{"it is Spark 3.4.1", "3.5 or later"}},
		"silence":   {silent, []string{"AnalyzePlan got no answer within 200ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			leaves(t)
			f := startFake(t)
			f.on("AnalyzePlan", c.answer)
			a, o := f.address(), quick()
			a.Token = "secret"
			if name == "silence" {
				o.CallTimeout = 200 * time.Millisecond
			}
			_, err := Open(t.Context(), a, o)
			says(t, err, append(c.parts, a.Server())...)
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the token is in the message: %v", err)
			}
		})
	}
	t.Run("no server", func(t *testing.T) {
		leaves(t)
		_, err := Open(t.Context(), Address{Host: "127.0.0.1", Port: 1}, quick()) // nothing will listen there
		says(t, err, "is a Spark Connect server running there")
	})
	t.Run("no host", func(t *testing.T) {
		leaves(t)
		_, err := Open(t.Context(), Address{Host: "nowhere.invalid", Port: 1}, Options{Insecure: true, Retry: quick().Retry})
		says(t, err, "nowhere.invalid")
	})
	t.Run("a server that hangs up", func(t *testing.T) {
		leaves(t)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
				conn.Close()
			}
		}()
		_, err = Open(t.Context(), Address{Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port}, quick())
		says(t, err, "Spark Connect server")
	})
}

func TestExpiredCertificate(t *testing.T) {
	leaves(t)
	ca := newAuthority(t, "ca")
	ca.make("server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(-time.Hour)})
	pair, err := tls.LoadX509KeyPair(ca.path("server.pem"), ca.path("server.key"))
	if err != nil {
		t.Fatal(err)
	}
	f := startFake(t, grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}})))
	a, o := f.address(), quick()
	a.TLS, o.TLS = true, TLS{CAFile: ca.path("ca.pem")}
	_, err = Open(t.Context(), a, o)
	says(t, err, "expired", "have the certificate renewed")
}

// TestRefusals tests requests that a server refuses.
func TestRefusals(t *testing.T) {
	refuse := func(class, message string) error {
		st, _ := status.New(codes.Internal, message).WithDetails(&errdetails.ErrorInfo{Metadata: map[string]string{
			"classes": `["org.apache.spark.sql.AnalysisException"]`, "errorClass": class}})
		return st.Err()
	}
	t.Run("TRANSFORM", func(t *testing.T) {
		leaves(t)
		f := startFake(t)
		f.script(answers(refuse("UC_COMMAND_NOT_SUPPORTED.WITHOUT_RECOMMENDATION", "Script Transformation is not supported")))
		_, err := values(t.Context(), f.open(t, quick()), Run{})
		if e := says(t, err, "Script Transformation is not "+
			"supported"); e.Class != "UC_COMMAND_NOT_SUPPORTED.WITHOUT_RECOMMENDATION" {
			t.Errorf("class %s", e.Class)
		}
	})
	t.Run("an artifact", func(t *testing.T) {
		leaves(t)
		f := startFake(t)
		f.on("AddArtifacts", func(*fakeCall) error { return status.Error(codes.PermissionDenied, "artifacts are off") })
		err := f.open(t, quick()).AddArtifacts(t.Context(), ArtifactBytes("files/x", make([]byte, 1<<20)))
		says(t, err, "take the artifact files/x", "artifacts are off", "ask who runs it for the right")
	})
	t.Run("a large artifact", func(t *testing.T) {
		leaves(t)
		f := startFake(t, grpc.MaxRecvMsgSize(chunkSize/2))
		f.on("AddArtifacts", func(c *fakeCall) error { return (&store{files: make(map[string][]byte)}).take(c) })
		err := f.open(t, quick()).AddArtifacts(t.Context(), ArtifactBytes("files/x", make([]byte, 1<<20)))
		says(t, err, "take the artifact files/x", "larger than max", "spark.connect.grpc.maxInboundMessageSize")
	})
	t.Run("rows that are too large for us", func(t *testing.T) {
		leaves(t)
		f := startFake(t)
		f.script(answers(nil, rows("a", 0, 1<<16), complete("b")))
		o := quick()
		o.MaxMessage = 1 << 16
		_, err := values(t.Context(), f.open(t, o), Run{})
		says(t, err, "larger than max", "send less at once")
	})
}

// TestNoSlots has a query wait for slots until its deadline.
func TestNoSlots(t *testing.T) {
	waiting := func(done int64, running int64) *protocol.ExecutePlanResponse {
		return &protocol.ExecutePlanResponse{ResponseId: "p", ResponseType: &protocol.ExecutePlanResponse_ExecutionProgress_{
			ExecutionProgress: &protocol.ExecutePlanResponse_ExecutionProgress{NumInflightTasks: running,
				Stages: []*protocol.ExecutePlanResponse_ExecutionProgress_StageInfo{{StageId: 1, NumTasks: 8,
					NumCompletedTasks: done}}}}}
	}
	for want, answer := range map[string]*protocol.ExecutePlanResponse{
		"of 8 tasks, 0 are done, 0 run and 8 wait for a free slot: other jobs":       waiting(0, 0),
		"of 8 tasks, 2 are done, 1 runs and 5 wait for a free slot) within DEADLINE": waiting(2, 1),
		"of 8 tasks, 7 are done, 1 runs and 0 wait for a free slot) within DEADLINE": waiting(7, 1),
		"of 8 tasks, 7 are done, 0 run and 1 waits for a free slot: other jobs, or ": waiting(7, 0),
		"its execution did not end within DEADLINE":                                  {ResponseId: "p"},
	} {
		t.Run(want, func(t *testing.T) {
			leaves(t)
			f := startFake(t)
			arrived := make(chan struct{}, 1)
			f.on("ExecutePlan", func(c *fakeCall) error {
				if err := c.send(answer); err != nil {
					return err
				}
				return silent(c)
			})
			s := f.open(t, quick())
			s.options.Progress = func(Progress) { arrived <- struct{}{} }
			if answer.ResponseType == nil {
				arrived <- struct{}{} // the error does not mention this
			}
			// On a slow machine the answer may come after the deadline. The next deadline is longer.
			for deadline := 100 * time.Millisecond; ; deadline *= 2 {
				before := len(f.requests("Interrupt"))
				_, err := values(t.Context(), s, Run{Timeout: deadline})
				select {
				case <-arrived:
				default:
					if deadline < time.Minute {
						continue
					}
				}
				if e := says(t, err, strings.Replace(want, "DEADLINE", deadline.String(), 1)); e.Code != codes.DeadlineExceeded ||
					len(f.requests("Interrupt")) != before+1 {
					t.Errorf("code %v, %d interrupts, %d of them before", e.Code, len(f.requests("Interrupt")), before)
				}
				return
			}
		})
	}
}

// TestRestartInTheMiddle has the server forget everything while it sends results.
func TestRestartInTheMiddle(t *testing.T) {
	other := rows("b", 2, 4)
	other.ServerSideSessionId = "another"
	for name, then := range map[string]func(*fakeCall) error{
		"the session is another": answers(status.Error(codes.Internal,
			"[INVALID_HANDLE.SESSION_CHANGED] The handle is invalid.")),
		"the session is unknown": answers(status.Error(codes.NotFound,
			"[INVALID_HANDLE.SESSION_NOT_FOUND] The handle is invalid.")),
		"another server answers": answers(nil, other),
	} {
		t.Run(name, func(t *testing.T) {
			leaves(t)
			f := startFake(t)
			f.script(answers(unavailable, rows("a", 0, 2)), then)
			_, err := values(t.Context(), f.open(t, quick()), Run{})
			if e := says(t, err, "run a query", "it was restarted", "Begin again"); !e.Gone() ||
				len(f.requests("Interrupt")) != 0 {
				t.Errorf("%+v, %d interrupts", e, len(f.requests("Interrupt")))
			}
		})
	}
	t.Run("the query is unknown", func(t *testing.T) {
		leaves(t)
		f := startFake(t)
		f.script(answers(unavailable, rows("a", 0, 2)),
			answers(status.Error(codes.Internal, "[INVALID_HANDLE.OPERATION_ABANDONED] The handle is invalid.")))
		_, err := values(t.Context(), f.open(t, quick()), Run{})
		says(t, err, "given the query up", "Run it again")
	})
}
