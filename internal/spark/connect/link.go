package connect

import (
	"fmt"
	"os/user"
	"runtime"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// link is a session's connection to its server, with the session's identity and the server's version and state.
type link struct {
	address Address
	options Options
	conn    *grpc.ClientConn
	id      string
	version string

	away     atomic.Bool    // the server refused connections until the attempts were used up
	releases sync.WaitGroup // ReleaseExecute requests under way

	mu         sync.Mutex
	serverSide string // the server's own name for the session: it changes when the server is restarted
}

// ID is the session's name.
func (l *link) ID() string { return l.id }

// ServerSession returns the server's own name for the session, which is unique to the server. It is empty for Spark
// 3.5.
func (l *link) ServerSession() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.serverSide
}

// Address returns the server's address, with the current token.
func (l *link) Address() Address {
	a := l.address
	if l.options.Token != nil {
		a.Token = l.options.Token()
	}
	return a
}

// UserID returns the session's user: the address's user_id, or the user who runs this program.
func (l *link) UserID() string { return l.user().UserId }

// Version is the server's version of Spark.
func (l *link) Version() string { return l.version }

// Disconnect closes the connection, and leaves the session to its other clients.
func (l *link) Disconnect() error { return l.conn.Close() }

func (l *link) user() *protocol.UserContext {
	id := l.address.UserID
	if id == "" {
		if u, err := user.Current(); err == nil {
			id = u.Username
		}
	}
	return &protocol.UserContext{UserId: id, UserName: id}
}

func (l *link) client() *string {
	agent := userAgent(l.address)
	return &agent
}

func userAgent(a Address) string {
	agent := fmt.Sprintf("dl4go os/%s go/%s", runtime.GOOS, runtime.Version()[2:])
	if a.UserAgent != "" {
		agent = a.UserAgent + " " + agent
	}
	return agent
}

func (l *link) observed() *string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.serverSide == "" {
		return nil
	}
	id := l.serverSide
	return &id
}

// check verifies that an answer is for this session, and from the same server as before.
func (l *link) check(session, serverSide string) error {
	if session != "" && session != l.id {
		return fmt.Errorf("the answer is for session %s, not for %s", session, l.id)
	}
	if serverSide == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.serverSide != "" && l.serverSide != serverSide {
		return &restartedError{l.serverSide, serverSide}
	}
	l.serverSide = serverSide
	return nil
}
