package mesh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// Role is a process's role in its job. Its certificate names the role, and a dialling process names the role that it
// expects.
type Role string

const (
	Coordinator Role = "coordinator"
	Worker      Role = "worker"
)

// Transport makes links between the processes of a job. Its methods may be called from several goroutines.
type Transport interface {
	// Listen begins to accept links. The caller must call Accept and Close.
	Listen(at Place) (Listener, error)
	// Dial makes a link to the process that listens at an address, which must have the role. It ends with the context,
	// and after Options.Dial. Errors are of type *LinkError.
	Dial(ctx context.Context, to Role, address string) (Conn, error)
	// Close ends all listeners and links of the transport at once, and waits for its goroutines.
	Close() error
}

// Listener is where links arrive.
type Listener interface {
	// Accept returns the next link. After Close it fails with ErrClosed.
	Accept() (Conn, error)
	// Address returns the address that others dial.
	Address() string
	// Close accepts no more links. Accepted links stay up.
	Close() error
}

// Conn is a link's end. Send and Receive may run at the same time, each in one goroutine; Close and Abort in any.
type Conn interface {
	// Send hands a message to the link. Messages arrive in order and whole. Send waits while the peer takes no data,
	// for Options.Patience at most, so that the data under way is bounded. The message must never be changed
	// afterwards.
	Send(m coordination.Message) error
	// Receive returns the next message, however long that takes. It calls alive when a part of a message has come.
	// After the peer's Close, and the messages before it, it returns io.EOF.
	Receive(alive func()) (coordination.Message, error)
	// Close ends the link when the peer has taken all messages, or after Options.Linger. It waits for that. Nothing is
	// received any more. No Send may be running.
	Close()
	// Abort ends the link at once, and with it any Send, Receive and Close of this end.
	Abort()
	// Peer describes the other end for people.
	Peer() string
}

// Options are a transport's settings. Zero values mean the defaults.
type Options struct {
	// MaxMessage bounds a message in bytes: 256 MiB by default. The largest ones carry parameters and updater state.
	MaxMessage int
	// Links bounds a Listener's links at a time: 4096 by default.
	Links int
	// Dial bounds a Dial: 5 s by default.
	Dial time.Duration
	// Patience bounds how long a Send waits until the peer takes a part of the message: a minute by default.
	Patience time.Duration
	// Linger bounds how long a Close waits until the peer has taken all messages: 5 s by default.
	Linger time.Duration
	// Handshake bounds how long a connection that arrives may take to prove who is there: 5 s by default. A process of
	// the job needs milliseconds.
	Handshake time.Duration
	// Alive is how long a peer may be silent before HTTP/2 asks whether it is there, and how long the answer may take:
	// 30 s by default.
	Alive time.Duration
	// Port, if not nil, is where the coordinator listens, together with those of other jobs. It overrides the Place.
	Port *Port `json:"-"`
	// Log gets a line when a connection is refused, every 10 s at most: slog.Default() by default.
	Log *slog.Logger `json:"-"`
}

// DefaultMaxMessage is the default of Options.MaxMessage.
const DefaultMaxMessage = 256 << 20

func (o Options) withDefaults() Options {
	set(&o.MaxMessage, DefaultMaxMessage)
	set(&o.Links, 4096)
	set(&o.Dial, 5*time.Second)
	set(&o.Patience, time.Minute)
	set(&o.Linger, 5*time.Second)
	set(&o.Handshake, 5*time.Second)
	set(&o.Alive, 30*time.Second)
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

// ErrClosed is the error of a closed Listener, Conn or Transport.
var ErrClosed = errors.New("this process has closed it")

// lengthError says that a message is too long.
type lengthError struct{ size, limit int }

func (e *lengthError) Error() string {
	return fmt.Sprintf("a message of %d bytes, at most %d are allowed (MaxMessage)", e.size, e.limit)
}

// LinkError says why an operation on a link has failed.
type LinkError struct {
	Peer string // the process at the other end, and its address
	Did  string // the operation
	Err  error
}

func (e *LinkError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Peer, e.Did, e.Err) }

func (e *LinkError) Unwrap() error { return e.Err }
