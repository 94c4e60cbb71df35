package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// Error is a failure of the server, or on the way to it.
type Error struct {
	Server    string     // host and port
	What      string     // the request, after "to": "run a query"
	Operation string     // the execution's ID on the server, if it was an execution
	Code      codes.Code // gRPC's code
	Class     string     // Spark's error class, such as TABLE_OR_VIEW_NOT_FOUND, if it gave one
	SQLState  string     // SQL's state, such as 42P01
	Message   string     // Spark's message, in full if it could be fetched
	Causes    []Cause    // the exceptions below, outermost first, root cause last
	Task      *Task      // the task that made the job fail, if it was one
	err       error
}

// Cause is an exception of the server.
type Cause struct {
	Type    string // the exception's Java class
	Class   string // Spark's error class, if it has one
	Message string
}

// Task is the last attempt at a task that failed too often.
type Task struct {
	Stage, Index, Attempt int // Attempt counts from 0
	Host, Executor        string
	Cause                 string // the executor's exception, without the Java stack
}

func (e *Error) Error() string {
	said := e.said()
	if strings.Contains(said, "No space left on device") {
		said += " (a disk is full: that of the place named here, or an executor's for Spark's own files, spark.local.dir: " +
			"make room " +
			"there, or choose another directory)"
	}
	return said
}

func (e *Error) said() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Spark at %s failed to %s: ", e.Server, e.What)
	if e.Task != nil {
		fmt.Fprintf(&b, "task %d of stage %d on %s (executor %s), attempt %d: %s", e.Task.Index, e.Task.Stage, e.Task.Host,
			e.Task.Executor, e.Task.Attempt+1, e.Task.Cause)
		return b.String()
	}
	b.WriteString(e.Message)
	if n := len(e.Causes); n > 0 && !strings.Contains(e.Message, e.Causes[n-1].Message) {
		root := e.Causes[n-1]
		fmt.Fprintf(&b, "; caused by %s: %s", root.Type, root.Message)
	}
	return b.String()
}

// Unwrap returns gRPC's error.
func (e *Error) Unwrap() error { return e.err }

// Gone reports whether the server no longer has the session: it was released, timed out, or the server was restarted.
func (e *Error) Gone() bool { return strings.HasPrefix(e.Class, "INVALID_HANDLE.SESSION_") }

// Closed reports whether the server knew the session and has ended it. Only the session's own server says so. Any other
// server reports a changed session, or none.
func (e *Error) Closed() bool {
	return e.Gone() && e.Class != "INVALID_HANDLE.SESSION_CHANGED" && e.Class != "INVALID_HANDLE.SESSION_NOT_FOUND"
}

// restartedError says that the server was restarted: it has our session ID again, but not the session's contents. Spark
// calls it INVALID_HANDLE.SESSION_CHANGED.
type restartedError struct{ was, is string }

func (e *restartedError) Error() string {
	return fmt.Sprintf("the server was restarted: its session is %s, and was %s", e.is, e.was)
}

// errDeadline is the cause of contexts that ended by a deadline of Options.
var errDeadline = errors.New("deadline of the session's options")

// settle waits for the context's end if the server, which also knows the deadline, reported it first.
func settle(ctx context.Context, err error) {
	if status.Code(err) == codes.DeadlineExceeded {
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// explain makes an Error from an error. ctx is the caller's context, limited the one with our deadline. late says what
// had not happened by the deadline.
func (l *link) explain(ctx, limited context.Context, late, what, operation string,
	limit time.Duration, err error) error {
	e := &Error{Server: l.address.Server(), What: what, Operation: operation, Code: status.Code(err), err: err}
	if ctx.Err() != nil && context.Cause(limited) != errDeadline {
		return fmt.Errorf("asked Spark at %s to %s: %w", e.Server, what, context.Cause(ctx))
	}
	if context.Cause(limited) == errDeadline {
		e.Code = codes.DeadlineExceeded
		e.Message = fmt.Sprintf("%s within %v", late, limit)
		if last := status.Convert(err); last.Code() != codes.DeadlineExceeded && last.Code() != codes.Canceled {
			e.Message += ": " + hint(last, l.address)
		}
		return e
	}
	if restarted := (*restartedError)(nil); errors.As(err, &restarted) {
		e.Class, e.Message = "INVALID_HANDLE.SESSION_CHANGED", err.Error()+advice("INVALID_HANDLE.SESSION_CHANGED")
		return e
	}
	st, ok := status.FromError(err)
	if !ok {
		e.Message = err.Error()
		return e
	}
	e.Message = st.Message()
	info := errorInfo(st)
	if info == nil {
		if m := classInMessage.FindStringSubmatch(e.Message); m != nil {
			e.Class = m[1]
			e.Message += advice(e.Class)
		} else {
			e.Message = hint(st, l.address)
		}
		return e
	}
	e.Class, e.SQLState = info.Metadata["errorClass"], info.Metadata["sqlState"]
	var types []string
	if json.Unmarshal([]byte(info.Metadata["classes"]), &types) == nil && len(types) > 0 {
		e.Causes = []Cause{{Type: types[0], Class: e.Class, Message: st.Message()}}
	}
	if id := info.Metadata["errorId"]; id != "" {
		l.fetchDetails(limited, id, e)
	}
	if m := classInMessage.FindStringSubmatch(e.Message); m != nil && e.Class == "" {
		e.Class = m[1]
	}
	e.Task = failedTask(e)
	e.Message = withoutStacks(e.Message) + advice(e.Class)
	for i := range e.Causes {
		e.Causes[i].Message = withoutStacks(e.Causes[i].Message)
	}
	return e
}

// withoutStacks cuts the stack traces of a job's failure and of a server's shutdown.
func withoutStacks(message string) string {
	if m, _, cut := strings.Cut(message, "\nThis stopped SparkContext was created at:"); cut {
		message = strings.TrimSpace(m) + "; the server is being shut down"
	}
	m, _, _ := strings.Cut(message, "\n\nDriver stacktrace:")
	return m
}

func errorInfo(st *status.Status) *errdetails.ErrorInfo {
	for _, d := range st.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	return nil
}

// hint adds to gRPC's own errors what they mean here, and what to do.
func hint(st *status.Status, a Address) string {
	m := st.Message()
	switch {
	case strings.Contains(m, "certificate required") || a.TLS &&
		(strings.Contains(m, "broken pipe") || strings.Contains(m, "connection reset")):
		return m + ": the server hung up on the handshake; it may want a client certificate that its authority signed"
	case strings.Contains(m, "has expired or is not yet valid"):
		return m + ": the server's certificate is out of date, or a clock is wrong: have the certificate renewed"
	case strings.Contains(m, "certificate is valid for") || strings.Contains(m, "certificate is not valid for"):
		return m + ": the certificate is another server's: is that the host's name? (the name in the certificate can be " +
			"given)"
	case strings.Contains(m, "x509: ") || strings.Contains(m, "tls: "):
		return m + ": the server's certificate is not trusted, or the server has no TLS; name the authority that signed " +
			"the certificate, or leave use_ssl=true out for a server without TLS"
	case st.Code() == codes.Unavailable && !a.TLS && strings.Contains(m, "preface"):
		return m + ": is that the port of a Spark Connect server, and is it one without TLS? (use_ssl=true is for TLS)"
	case strings.Contains(m, "no such host"):
		return m + ": nothing has that name here: is the server's host spelled right?"
	case st.Code() == codes.Unavailable:
		return m + ": is a Spark Connect server running there, and is that its port?"
	case st.Code() == codes.Unauthenticated:
		return m + ": the server wants another token (token=… in the connection string, or " +
			"SPARK_CONNECT_AUTHENTICATE_TOKEN in the environment)"
	case st.Code() == codes.PermissionDenied:
		return m + ": the server, or a proxy before it, does not allow that to this user; ask who runs it for the right"
	case st.Code() == codes.ResourceExhausted:
		return m + ": the message was too large for the server or for this program, or the server has no room for it: send " +
			"less at once (spark.connect.grpc.maxInboundMessageSize is the server's limit)"
	case st.Code() == codes.Unimplemented:
		return m + ": that is no Spark Connect server, or one older than 3.5"
	}
	return fmt.Sprintf("%s (%v)", m, st.Code())
}

// advice says what to do about errors of Spark, if the user can do something.
func advice(class string) string {
	switch {
	case class == "INVALID_HANDLE.SESSION_NOT_FOUND" || class == "INVALID_HANDLE.SESSION_CLOSED" ||
		class == "INVALID_HANDLE.SESSION_CHANGED":
		return "; what the server kept for the session is lost: it was restarted, the session was ended, or nothing was " +
			"asked " +
			"of it for an hour. Begin again"
	case class == "INVALID_HANDLE.OPERATION_NOT_FOUND" || class == "INVALID_HANDLE.OPERATION_ABANDONED" ||
		strings.HasPrefix(class, "INVALID_CURSOR."):
		return "; the server has given the query up: it was restarted, or could not reach this program for minutes. Run it " +
			"again"
	}
	return ""
}

// fetchDetails asks for the whole message and the chain of causes: the status only has the message's beginning.
func (l *link) fetchDetails(ctx context.Context, id string, e *Error) {
	ctx, cancel := context.WithTimeout(l.headers(ctx), min(10*time.Second, l.options.CallTimeout))
	defer cancel()
	var details protocol.FetchErrorDetailsResponse
	err := l.conn.Invoke(ctx, service+"FetchErrorDetails", &protocol.FetchErrorDetailsRequest{SessionId: l.id,
		UserContext: l.user(), ErrorId: id, ClientType: l.client(), ClientObservedServerSideSessionId: l.observed()},
		&details)
	if err != nil || details.RootErrorIdx == nil {
		l.options.Log.Debug("Spark Connect: no details of an error", "server", e.Server, "error", err)
		return
	}
	var causes []Cause
	for i := details.RootErrorIdx; i != nil && *i >= 0 && int(*i) < len(details.Errors) && len(causes) < 32; {
		d := details.Errors[*i]
		c := Cause{Class: d.GetSparkThrowable().GetErrorClass(), Message: d.Message}
		if len(d.ErrorTypeHierarchy) > 0 {
			c.Type = d.ErrorTypeHierarchy[0]
		}
		if len(causes) == 0 && d.GetSparkThrowable().GetSqlState() != "" {
			e.SQLState = d.GetSparkThrowable().GetSqlState()
		}
		causes = append(causes, c)
		i = d.CauseIdx
	}
	if len(causes) > 0 {
		e.Causes, e.Message = causes, causes[0].Message
		if e.Class == "" {
			e.Class = causes[0].Class
		}
	}
}

// classInMessage finds Spark's error class in the message, its only place in Spark 3.5.
var classInMessage = regexp.MustCompile(`^\s*\[([A-Z][A-Z0-9_.]+)\] `)

var lostTask = regexp.MustCompile(`Lost task (\d+)\.(\d+) in stage (\d+)\.\d+ \(TID \d+\) \((\S+) executor ([^)]+)\): `)

// failedTask finds the executor's cause in Spark's message about a failed job.
func failedTask(e *Error) *Task {
	for _, m := range append([]Cause{{Message: e.Message}}, e.Causes...) {
		at := lostTask.FindStringSubmatchIndex(m.Message)
		if at == nil {
			continue
		}
		group := func(i int) string { return m.Message[at[2*i]:at[2*i+1]] }
		number := func(i int) int {
			n, _ := strconv.Atoi(group(i))
			return n
		}
		t := &Task{Index: number(1), Attempt: number(2), Stage: number(3), Host: group(4), Executor: group(5)}
		cause, _, _ := strings.Cut(m.Message[at[1]:], "\nDriver stacktrace:")
		var lines []string
		for _, line := range strings.Split(cause, "\n") {
			trimmed := strings.TrimSpace(line)
			if trimmed == "" || strings.HasPrefix(trimmed, "at ") || strings.HasPrefix(trimmed, "... ") {
				continue
			}
			lines = append(lines, strings.TrimRight(line, "\r\t "))
		}
		t.Cause = strings.Join(lines, "\n")
		return t
	}
	return nil
}
