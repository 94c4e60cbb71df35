// Package connect is a small client of Spark Connect: a session, its settings, relations and their results, artifacts,
// and interruption. It speaks Spark's gRPC protocol through a hand-written subset (package protocol), and reads results
// as Arrow batches (package arrow).
//
// Every call ends by its answer, by its context, or by a deadline of Options. If the server or the connection failed,
// the error is an *Error that names the server and the request.
package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// Options are settings of a session that are not part of its address. Zero values mean the defaults.
type Options struct {
	TLS TLS
	// Token, unless nil, returns the current token. The address must have a token too, which Token replaces.
	Token func() string
	// Insecure allows a connection without TLS to another machine. A token is never sent over one.
	Insecure bool
	// CallTimeout bounds a request that has one answer, including its retries: 2 min by default. Sending artifacts has
	// an additional second for each MiB.
	CallTimeout time.Duration
	// QueryTimeout bounds the execution of a query or command: 24 h by default.
	QueryTimeout time.Duration
	// Silence is how long a result stream may be without messages before the connection counts as broken and the stream
	// is requested again: 150 s by default. Servers end each stream after 120 s.
	Silence time.Duration
	// Retry says how requests are repeated after a passing failure of the server or the connection.
	Retry Retry
	// ServerSession is the server's own name for the session, if another client of the session has learned it. Answers
	// of any other server are errors.
	ServerSession string
	// MaxMessage bounds a message of the protocol in bytes: 128 MiB by default, as in Spark's own clients.
	MaxMessage int
	// Progress is called with the progress of queries that have no Run.Progress.
	Progress func(Progress)
	// Log receives retries and warnings of the server: slog.Default() by default.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	setDefault(&o.CallTimeout, 2*time.Minute)
	setDefault(&o.QueryTimeout, 24*time.Hour)
	setDefault(&o.Silence, 150*time.Second)
	setDefault(&o.MaxMessage, 128<<20)
	setDefault(&o.Retry.Attempts, 8)
	setDefault(&o.Retry.First, 50*time.Millisecond)
	setDefault(&o.Retry.Longest, 15*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

func setDefault[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// Session is a session on a Spark Connect server. Its methods may be called from several goroutines.
type Session struct {
	*link
	settings
	analysis
	artifacts
	commands
}

// Open connects and begins a session. It gives up an unreachable server after about a second.
func Open(ctx context.Context, a Address, o Options) (*Session, error) {
	o = o.withDefaults()
	conn, err := dial(a, o)
	if err != nil {
		return nil, err
	}
	s := newSession(&link{address: a, options: o, conn: conn, id: a.SessionID, serverSide: o.ServerSession})
	if s.id == "" {
		s.id = newUUID()
	}
	// A mistyped address should fail sooner than a server that restarts.
	s.options.Retry.Attempts = min(4, o.Retry.Attempts)
	s.options.CallTimeout = min(30*time.Second, o.CallTimeout)
	if s.version, err = s.sparkVersion(ctx); err == nil && old(s.version) {
		err = &Error{Server: a.Server(), What: "begin a session", Code: codes.Unimplemented,
			Message: fmt.Sprintf("it is Spark %s, and dl4go needs 3.5 or later", s.version)}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	s.options = o
	return s, nil
}

// newSession connects the parts of a session.
func newSession(l *link) *Session {
	o := &operations{l}
	return &Session{link: l, settings: settings{l}, analysis: analysis{l},
		artifacts: artifacts{link: l, sent: make(map[string]bool)}, commands: commands{o}}
}

// old reports whether a version of Spark is before 3.5, which can't repeat results.
func old(version string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return n == 2 && (major < 3 || major == 3 && minor < 5)
}

// farewell bounds the end of a session, and of an operation, if the server does not answer.
const farewell = 30 * time.Second

// Close ends all running operations of the session, makes the server forget it (its artifacts, views and settings), and
// closes the connection. It does so even if ctx is done. Spark 3.5 can't be told to end a session; it drops the session
// after an hour without a request.
func (s *Session) Close(ctx context.Context) error {
	s.releases.Wait()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), farewell, errDeadline)
	defer cancel()
	_, err := call[protocol.ReleaseSessionResponse](ctx, s.link, "ReleaseSession", "end the session",
		&protocol.ReleaseSessionRequest{SessionId: s.id, UserContext: s.user(), ClientType: s.client()})
	if status.Code(errors.Unwrap(err)) == codes.Unimplemented { // Spark 3.5
		_, err = s.InterruptAll(ctx)
	}
	if closed := s.conn.Close(); err == nil {
		err = closed
	}
	return err
}
