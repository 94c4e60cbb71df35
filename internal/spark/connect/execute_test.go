package connect

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

var unavailable = status.Error(codes.Unavailable, "connection lost")

// script sets how each stream of an execution answers: the first one, and those of reattaching.
func (f *fake) script(steps ...func(*fakeCall) error) {
	n := 0
	next := func(c *fakeCall) error {
		f.mu.Lock()
		n++
		i := n - 1
		f.mu.Unlock()
		if i >= len(steps) {
			return status.Error(codes.InvalidArgument, "more streams than the test foresaw")
		}
		return steps[i](c)
	}
	f.on("ExecutePlan", next)
	f.on("ReattachExecute", next)
}

// answers returns a step that sends the messages and ends the stream with err.
func answers(err error, messages ...proto.Message) func(*fakeCall) error {
	return func(c *fakeCall) error {
		for _, m := range messages {
			if err := c.send(m); err != nil {
				return err
			}
		}
		return err
	}
}

// silent sends nothing until the client disconnects.
func silent(c *fakeCall) error {
	<-c.stream.Context().Done()
	return c.stream.Context().Err()
}

// order returns the methods that opened the streams of the execution, with the answer after which each asked to
// continue.
func order(f *fake) string {
	var all []string
	for range f.requests("ExecutePlan") {
		all = append(all, "execute")
	}
	for _, r := range f.requests("ReattachExecute") {
		all = append(all, "after "+r.(*protocol.ReattachExecuteRequest).GetLastResponseId())
	}
	return strings.Join(all, ", ")
}

// reattached runs a query of several streams. On a slow machine, a stream may be silent for longer than Options.Silence
// although nothing is wrong. The query is then repeated on another server with a longer one.
func reattached(t *testing.T, o Options, want string, steps []func(*fakeCall) error) (f *fake, s *Session, got []int64,
	err error) {
	for ; ; o.Silence *= 2 {
		f = startFake(t)
		f.script(steps...)
		s = f.open(t, o)
		got, err = values(t.Context(), s, Run{})
		if order(f) == want || o.Silence == 0 || o.Silence > time.Minute {
			return f, s, got, err
		}
	}
}

func TestReattach(t *testing.T) {
	unknown := status.Error(codes.Internal, "[INVALID_HANDLE.OPERATION_NOT_FOUND] The handle is invalid.")
	exists := status.Error(codes.Internal, "[INVALID_HANDLE.OPERATION_ALREADY_EXISTS] The handle is invalid.")
	for name, c := range map[string]struct {
		steps []func(*fakeCall) error
		order string
	}{
		"one stream": {[]func(*fakeCall) error{answers(nil, rows("a", 0, 2), rows("b", 2, 5), complete("c"))}, "execute"},
		"the server ends the stream": {[]func(*fakeCall) error{answers(nil, rows("a", 0, 2)), answers(nil, rows("b", 2, 5)),
			answers(nil, complete("c"))}, "execute, after a, after b"},
		"a broken stream": {[]func(*fakeCall) error{answers(unavailable, rows("a", 0, 2)), answers(unavailable),
			answers(nil, rows("b", 2, 5), complete("c"))}, "execute, after a, after a"},
		"a stream that falls silent": {[]func(*fakeCall) error{answers(nil, rows("a", 0, 5)), silent,
			answers(nil, complete("c"))},
			"execute, after a, after a"},
		"a request that never arrived": {[]func(*fakeCall) error{answers(unavailable), answers(unknown),
			answers(nil, rows("a", 0, 5), complete("c"))}, "execute, execute, after "},
		"a request that arrived twice": {[]func(*fakeCall) error{answers(unavailable), answers(unknown), answers(exists),
			answers(nil, rows("a", 0, 5), complete("c"))}, "execute, execute, after , after "},
		"streams without an answer": {append(slices.Repeat([]func(*fakeCall) error{answers(nil), answers(unavailable)}, 3),
			answers(nil, rows("a", 0, 5), complete("b"))), "execute" + strings.Repeat(", after ", 6)},
		"many breaks with progress": {[]func(*fakeCall) error{answers(unavailable, rows("a", 0, 1)),
			answers(unavailable, rows("b", 1, 2)),
			answers(unavailable, rows("c", 2, 3)), answers(unavailable, rows("d", 3, 4)), answers(unavailable, rows("e", 4, 5)),
			answers(unavailable), answers(nil, complete("f"))}, "execute, after a, after b, after c, after d, after e, after e"},
	} {
		t.Run(name, func(t *testing.T) {
			o := quick()
			if name == "streams without an answer" {
				o.Retry.Longest = time.Nanosecond // every stream lasts longer
			}
			if name == "a stream that falls silent" {
				o.Silence = 50 * time.Millisecond
			}
			f, s, got, err := reattached(t, o, c.order, c.steps)
			if err != nil || !reflect.DeepEqual(got, []int64{0, 1, 2, 3, 4}) {
				t.Errorf("got %v, %v", got, err)
			}
			if o := order(f); o != c.order {
				t.Errorf("streams %s, wanted %s", o, c.order)
			}
			first := f.requests("ExecutePlan")[0].(*protocol.ExecutePlanRequest)
			for _, r := range f.requests("ExecutePlan") {
				if !proto.Equal(r, first) || first.GetOperationId() == "" ||
					!first.RequestOptions[0].GetReattachOptions().GetReattachable() {
					t.Errorf("request %v after %v", r, first)
				}
			}
			s.Close(t.Context())
			releases := f.requests("ReleaseExecute")
			if len(releases) != 1 || releases[0].(*protocol.ReleaseExecuteRequest).GetReleaseAll() == nil ||
				releases[0].(*protocol.ReleaseExecuteRequest).OperationId != first.GetOperationId() {
				t.Errorf("released %v", releases)
			}
			if len(f.requests("Interrupt")) != 0 {
				t.Error("an execution that was complete was interrupted")
			}
		})
	}
}

func TestExecutionsThatFail(t *testing.T) {
	bad := rows("a", 0, 2)
	bad.GetArrowBatch().RowCount = 3
	garbage := rows("a", 0, 2)
	garbage.GetArrowBatch().Data = []byte("not Arrow")
	restarted := rows("a", 0, 2)
	restarted.ServerSideSessionId = "another"
	for name, c := range map[string]struct {
		steps       []func(*fakeCall) error
		part        string
		interrupted int
	}{
		"for good": {[]func(*fakeCall) error{answers(status.Error(codes.Internal, "a mistake"))}, "a mistake", 0},
		"too often": {[]func(*fakeCall) error{answers(unavailable), answers(unavailable), answers(unavailable),
			answers(unavailable)},
			"after 4 attempts", 1},
		"streams without an end": {[]func(*fakeCall) error{answers(nil), answers(nil), answers(nil),
			answers(nil)}, "broke off", 1},
		"forgotten by the server": {[]func(*fakeCall) error{answers(unavailable, rows("a", 0, 2)),
			answers(status.Error(codes.Internal, "[INVALID_HANDLE.OPERATION_NOT_FOUND] x"))}, "OPERATION_NOT_FOUND", 0},
		"rows are missing": {[]func(*fakeCall) error{answers(nil, rows("a", 0, 2), rows("b", 3, 4), complete("c"))},
			"row 3, wanted row 2", 1},
		"rows come twice": {[]func(*fakeCall) error{answers(nil, rows("a", 0, 2), rows("b", 1, 4), complete("c"))},
			"row 1, wanted row 2", 1},
		"rows miscounted": {[]func(*fakeCall) error{answers(nil, bad)}, "3", 1},
		"no Arrow":        {[]func(*fakeCall) error{answers(nil, garbage)}, "Arrow", 1},
		"a restart":       {[]func(*fakeCall) error{answers(nil, restarted)}, "restarted", 0},
		"not the protocol": {[]func(*fakeCall) error{answers(nil,
			&protocol.AddArtifactsRequest_ArtifactChunk{Data: []byte{0xFF, 0xFE}})},
			"unmarshal", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := startFake(t)
			f.script(c.steps...)
			_, err := values(t.Context(), f.open(t, quick()), Run{})
			if err == nil || !strings.Contains(err.Error(), c.part) {
				t.Errorf("got %v, wanted %s", err, c.part)
			}
			if n := len(f.requests("Interrupt")); n != c.interrupted {
				t.Errorf("%d interrupts, wanted %d", n, c.interrupted)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	for name, stop := range map[string]func(cancel func()) error{
		"by the context":  func(cancel func()) error { cancel(); return nil },
		"by the consumer": func(func()) error { return errors.New("enough") },
		"by the deadline": func(func()) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			deadline := time.Duration(0)
			if name == "by the deadline" {
				deadline = 100 * time.Millisecond
			}
			// On a slow machine the rows may come after the deadline. The next deadline is longer.
			for !cancelled(t, name, stop, deadline) {
				if deadline *= 2; deadline > time.Hour {
					t.Fatal("no rows come")
				}
			}
		})
	}
}

// cancelled stops a query after its first rows. It returns false if there were none.
func cancelled(t *testing.T, name string, stop func(cancel func()) error, deadline time.Duration) (came bool) {
	f := startFake(t)
	f.script(func(c *fakeCall) error {
		if err := c.send(rows("a", 0, 1)); err != nil {
			return err
		}
		return silent(c)
	})
	s := f.open(t, quick())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := s.Collect(ctx, SQL("x"), Run{Timeout: deadline}, func(*arrow.Batch) error {
		came = true
		return stop(cancel)
	})
	if !came {
		return false
	}
	want := map[string]string{"by the context": "context canceled", "by the consumer": "enough",
		"by the deadline": fmt.Sprintf("Spark at 127.0.0.1:%d failed to run a query: its execution did not end within %v",
			f.port, deadline)}[name]
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if (name == "by the context") != errors.Is(err, context.Canceled) {
		t.Errorf("errors.Is(%v, context.Canceled) is wrong", err)
	}
	operation := f.requests("ExecutePlan")[0].(*protocol.ExecutePlanRequest).GetOperationId()
	interrupts := f.requests("Interrupt")
	if len(interrupts) != 1 || interrupts[0].(*protocol.InterruptRequest).GetOperationId() != operation {
		t.Errorf("interrupted %v when Collect came back, wanted operation %s", interrupts, operation)
	}
	s.Close(t.Context())
	if r := f.requests("ReleaseExecute"); len(r) != 1 {
		t.Errorf("released %v", r)
	}
	return true
}

// TestStreamsThatProxiesCut checks that a result stream that is reset, or ends without a status, continues in the next
// one. It is an error if the server itself has cancelled the operation.
func TestStreamsThatProxiesCut(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		goes bool
	}{
		"reset":            {status.Error(codes.Canceled, "stream terminated by RST_STREAM with error code: CANCEL"), true},
		"without a status": {status.Error(codes.Internal, "server closed the stream without sending trailers"), true},
		"cancelled":        {status.Error(codes.Canceled, "the operation was cancelled"), false},
	} {
		f := startFake(t)
		f.script(answers(c.err, rows("a", 0, 2)), answers(c.err), answers(nil, rows("b", 2, 4), complete("c")))
		got, err := values(t.Context(), f.open(t, quick()), Run{})
		if (err == nil) != c.goes || c.goes && len(got) != 4 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestCommandThatIsGivenUp checks that a cancelled command has ended on the server when the client returns, unless the
// server did not know it.
func TestCommandThatIsGivenUp(t *testing.T) {
	canceled := status.Error(codes.Internal, "[OPERATION_CANCELED] Operation has been canceled.")
	for name, c := range map[string]struct {
		known bool
		ends  []func(*fakeCall) error
	}{
		"interrupted":    {true, []func(*fakeCall) error{answers(nil), answers(unavailable), answers(canceled)}},
		"it had its end": {true, []func(*fakeCall) error{answers(nil, complete("a"))}},
		"unknown":        {false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := startFake(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			givenUp := errors.New("given up")
			f.on("ExecutePlan", func(call *fakeCall) error {
				cancel(givenUp)
				return silent(call)
			})
			f.on("Interrupt", func(call *fakeCall) error {
				answer := new(protocol.InterruptResponse)
				if c.known {
					answer.InterruptedIds = []string{call.request.(*protocol.InterruptRequest).GetOperationId()}
				}
				return call.send(answer)
			})
			f.on("ReattachExecute", func(call *fakeCall) error { return c.ends[call.n](call) })
			if _, err := f.open(t, quick()).Exec(ctx, "x"); !errors.Is(err, givenUp) {
				t.Errorf("got %v", err)
			}
			if n := len(f.requests("ReattachExecute")); n != len(c.ends) {
				t.Errorf("%d looks for its end, wanted %d", n, len(c.ends))
			}
		})
	}
}

func TestProgress(t *testing.T) {
	want := Progress{Stages: []Stage{{7, 10, 4, 99}, {8, 3, 0, 0}}, Running: 2}
	for who, want := range map[string][2][]Progress{"the query's": {{want}, nil}, "the session's": {nil, {want}}} {
		f := startFake(t)
		f.script(answers(nil, &protocol.ExecutePlanResponse{ResponseId: "a",
			ResponseType: &protocol.ExecutePlanResponse_ExecutionProgress_{
				ExecutionProgress: &protocol.ExecutePlanResponse_ExecutionProgress{NumInflightTasks: 2,
					Stages: []*protocol.ExecutePlanResponse_ExecutionProgress_StageInfo{
						{StageId: 7, NumTasks: 10, NumCompletedTasks: 4, InputBytesRead: 99}, {StageId: 8, NumTasks: 3}}}}},
			complete("b")))
		var got [2][]Progress
		var run Run
		o := quick()
		o.Progress = func(p Progress) { got[1] = append(got[1], p) }
		if want[0] != nil {
			run.Progress = func(p Progress) { got[0] = append(got[0], p) }
		}
		if _, err := values(t.Context(), f.open(t, o), run); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v", who, got)
		}
	}
	if done, total := want.Tasks(); done != 4 || total != 13 {
		t.Errorf("%d of %d tasks", done, total)
	}
}

// TestReleases sends more than the server should keep.
func TestReleases(t *testing.T) {
	f := startFake(t)
	f.script(func(c *fakeCall) error {
		at := int64(0)
		for i := range 20 {
			if err := c.send(rows(fmt.Sprint("r", i), at, at+1<<17)); err != nil {
				return err
			}
			at += 1 << 17
		}
		return c.send(complete("end"))
	})
	s := f.open(t, quick())
	n := 0
	if err := s.Collect(t.Context(), SQL("x"), Run{},
		func(b *arrow.Batch) error { n += b.Rows; return nil }); err != nil || n != 20<<17 {
		t.Fatalf("%d rows, %v", n, err)
	}
	s.Close(t.Context())
	released := 0
	for _, r := range f.requests("ReleaseExecute") {
		if r.(*protocol.ReleaseExecuteRequest).GetReleaseUntil().GetResponseId() != "" {
			released++
		}
	}
	if released == 0 || released > 2 {
		t.Errorf("of 20 MiB, answers were released %d times", released)
	}
}
