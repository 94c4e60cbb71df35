package mesh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// Role is what a process is in its job. A certificate says it, and who dials says whom it expects.
type Role string

const (
	Coordinator Role = "coordinator"
	Worker      Role = "worker"
)

// Transport makes links between the processes of a job. Its methods may be called from several goroutines.
type Transport interface {
	// Listen takes links from now on. Accept must be called, and Close.
	Listen(at Place) (Listener, error)
	// Dial makes a link to whoever listens at an address, who must have the role. It ends with the context, and after
	// Options.Dial. Errors are of type *LinkError.
	Dial(ctx context.Context, to Role, address string) (Conn, error)
	// Close ends all that the transport has made, at once, and gives back its goroutines.
	Close() error
}

// Listener is where links arrive.
type Listener interface {
	// Accept gives the next link. After Close it fails with ErrClosed.
	Accept() (Conn, error)
	// Address is what others dial.
	Address() string
	// Close takes no more links. Those that were accepted stay.
	Close() error
}

// Conn is a link's end. Send and Receive may run at the same time, each in one goroutine; Close and Abort in any.
type Conn interface {
	// Send hands a message to the link. Messages arrive in order and whole. It waits while the peer takes nothing, so that
	// what is under way is bounded, for Options.Patience at most. The message must not be changed any more, ever.
	Send(m coordination.Message) error
	// Receive gives the next message, however long that takes; alive is called when a part of one has come. After the
	// peer's Close, and what it sent before, it gives io.EOF.
	Receive(alive func()) (coordination.Message, error)
	// Close ends the link when the peer has taken what was sent, or after Options.Linger. Nothing is received any more. It
	// waits; no Send may be under way.
	Close()
	// Abort ends the link at once, and with it any Send, Receive and Close of this end.
	Abort()
	// Peer describes the other end, for people.
	Peer() string
}

// Options are a transport's settings. Zero values mean the defaults.
type Options struct {
	// MaxMessage bounds a message in bytes: 256 MiB by default. The largest ones carry parameters and updater state.
	MaxMessage int
	// Links bounds how many a Listener has at a time: 4096 by default.
	Links int
	// Dial bounds a Dial: 5 s by default.
	Dial time.Duration
	// Patience bounds how long a Send waits for the peer to take some of it: 30 s by default.
	Patience time.Duration
	// Linger bounds how long a Close waits for the peer to take what was sent: 5 s by default.
	Linger time.Duration
	// Port, if not nil, is where the coordinator listens, beside those of other jobs; a Place has no say then.
	Port *Port `json:"-"`
	// Log gets a line when somebody is refused, every 10 s at most: slog.Default() by default.
	Log *slog.Logger `json:"-"`
}

// DefaultMaxMessage is Options.MaxMessage's.
const DefaultMaxMessage = 256 << 20

func (o Options) withDefaults() Options {
	set(&o.MaxMessage, DefaultMaxMessage)
	set(&o.Links, 4096)
	set(&o.Dial, 5*time.Second)
	set(&o.Patience, 30*time.Second)
	set(&o.Linger, 5*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

func set[T comparable](v *T, d T) {
	if *v == *new(T) {
		*v = d
	}
}

// ErrClosed is what a closed Listener, Conn or Transport gives.
var ErrClosed = errors.New("this process has closed it")

// lengthError refuses a message.
type lengthError struct{ size, limit int }

func (e *lengthError) Error() string {
	return fmt.Sprintf("a message of %d bytes, at most %d are allowed (MaxMessage)", e.size, e.limit)
}

// LinkError is what went wrong with a link.
type LinkError struct {
	Peer string // who was, or should have been, at the other end, and where
	Did  string // what was tried
	Err  error
}

func (e *LinkError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Peer, e.Did, e.Err) }

func (e *LinkError) Unwrap() error { return e.Err }
