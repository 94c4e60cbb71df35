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

// Options are settings of a session that are not part of its address. The zero value has the defaults.
type Options struct {
	TLS TLS
	// Token, unless nil, gives the token of now in place of the address's, which only says that there is one.
	Token func() string
	// Insecure allows a connection without TLS to another machine. A token is never sent over one.
	Insecure bool
	// CallTimeout bounds a request that has one answer, its retries included: 2 min by default. Sending artifacts has
	// a second for each MiB beyond that.
	CallTimeout time.Duration
	// QueryTimeout bounds the execution of a query or command: 24 h by default.
	QueryTimeout time.Duration
	// Silence is how long a result stream may be without any message before the connection counts as broken and the
	// stream is asked for again: 150 s by default. Servers end each stream of theirs after 120 s.
	Silence time.Duration
	// Retry says how requests are repeated that the server, or the way to it, failed for the moment.
	Retry Retry
	// ServerSession is the server's own name for the session, where another client of it has learned that: an answer of
	// any other server is an error.
	ServerSession string
	// MaxMessage bounds a message of the protocol in bytes: 128 MiB by default, as in Spark's own clients.
	MaxMessage int
	// Progress is called with the progress of queries whose Run has no Progress of its own.
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

// Open connects and begins a session. A server that can't be reached is given up after about a second.
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
	// A mistyped address should not take as long to be noticed as a server that restarts.
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

// newSession puts the parts of a session together.
func newSession(l *link) *Session {
	o := &operations{l}
	return &Session{link: l, settings: settings{l}, analysis: analysis{l},
		artifacts: artifacts{link: l, sent: make(map[string]bool)}, commands: commands{o}}
}

// old says whether a version of Spark is one before 3.5, whose results can't be asked for again.
func old(version string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return n == 2 && (major < 3 || major == 3 && minor < 5)
}

// farewell is how long the session's end, and that of an operation, may take where the server does not answer.
const farewell = 10 * time.Second

// Close ends what still runs in the session, has the server forget it (its artifacts, views and settings), and closes
// the connection. It does so even where ctx is done. A session that the server was not told to end, as Spark 3.5 can't
// be, it drops by itself after an hour without a request.
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
