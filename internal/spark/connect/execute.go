package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
	"github.com/dl4go/dl4go/internal/tracing"
)

// operations runs queries and commands on the server.
type operations struct{ *link }

// Run has options of an execution. The zero value is fine.
type Run struct {
	// Timeout, unless 0, bounds the execution instead of Options.QueryTimeout. Endless means no bound.
	Timeout time.Duration
	// Progress is called about every 2 s with the progress of the query's stages, from Spark 4.0 on. It must not block.
	Progress func(Progress)
}

// Endless is a Timeout of more than a hundred years.
const Endless time.Duration = 1 << 62

// Collect executes a query and passes each batch of its rows to each, in order, as they come. An error of each ends the
// query. Collect holds a few batches, which have about 4 MiB, or one row. If Collect fails for any reason, it
// interrupts the query on the server before it returns.
func (o *operations) Collect(ctx context.Context, r Relation, run Run, each func(*arrow.Batch) error) error {
	if r.err != nil {
		return r.err
	}
	rows := int64(0)
	return o.execute(ctx, "run a query", &protocol.Plan{OpType: &protocol.Plan_Root{Root: r.r}}, run,
		func(answer *protocol.ExecutePlanResponse) error {
			b := answer.GetArrowBatch()
			if b == nil {
				return nil
			}
			if b.StartOffset != nil && *b.StartOffset != rows {
				return fmt.Errorf("the server's rows go on at row %d, wanted row %d", *b.StartOffset, rows)
			}
			got := int64(0)
			if err := arrow.Read(b.Data, func(batch *arrow.Batch) error {
				got += int64(batch.Rows)
				return each(batch)
			}); err != nil {
				return err
			}
			if got != b.RowCount {
				return fmt.Errorf("the server sent %d rows where it says that it sent %d", got, b.RowCount)
			}
			rows += got
			return nil
		})
}

// command executes a command.
func (o *operations) command(ctx context.Context, what string, c *protocol.Command, run Run,
	each func(*protocol.ExecutePlanResponse) error) error {
	return o.execute(ctx, what, &protocol.Plan{OpType: &protocol.Plan_Command{Command: c}}, run, each)
}

// execute runs a plan as a reattachable operation: it continues on the server when the connection breaks. Then execute
// asks for the remaining answers.
func (o *operations) execute(ctx context.Context, what string, plan *protocol.Plan, run Run,
	each func(*protocol.ExecutePlanResponse) error) (err error) {
	id := newUUID()
	ctx, end := tracing.Start(ctx, "Spark query", "operation", id, "query", what, "server", o.address.Server())
	defer func() { end(err) }()
	limit := o.options.QueryTimeout
	if run.Timeout != 0 {
		limit = run.Timeout
	}
	limited, cancel := context.WithTimeoutCause(o.headers(ctx), limit, errDeadline)
	defer cancel()
	e := &execution{operations: o, id: id, what: what, plan: plan, run: run, each: each}
	err = e.follow(limited)
	settle(limited, err)
	var own *callbackError
	switch {
	case err == nil:
		e.releaseAll()
		return nil
	case errors.As(err, &own):
		e.abandon(ctx)
		return own.error
	case limited.Err() != nil:
		e.abandon(ctx)
	case passing(err) || cut(err):
		known := o.away.Load() // the server is known to be away: telling it is of no use
		err = fmt.Errorf("after %d attempts: %w", e.failures, err)
		if !known {
			e.abandon(ctx)
		}
	default:
		e.releaseAll()
	}
	return o.explain(ctx, limited, e.late(), what, e.id, limit, err)
}

// callbackError is an error of the caller, or in an answer's contents: another attempt would not help.
type callbackError struct{ error }

// execution is one operation on the server.
type execution struct {
	*operations
	id, what  string
	plan      *protocol.Plan
	run       Run
	each      func(*protocol.ExecutePlanResponse) error
	begun     bool   // ExecutePlan was sent, so the operation may exist
	last      string // the last answer's ID
	complete  bool
	failures  int // attempts in a row without an answer
	unfreed   int // bytes of answers that the server may still hold for us
	progress  Progress
	releasing atomic.Bool
}

// follow reads answers until the last one, over as many streams as it takes.
func (e *execution) follow(ctx context.Context) error {
	e.failures = 0
	for {
		before, begun := e.last, time.Now()
		err := e.stream(ctx)
		// Servers, and proxies before them, end each stream after a while, even without any answer on it.
		lasted := time.Since(begun) >= e.options.Retry.Longest
		if lasted || e.last != before {
			e.failures = 0
		}
		var own *callbackError
		switch {
		case e.complete && err == nil:
			return nil
		case errors.As(err, &own) || ctx.Err() != nil:
			return err
		case e.begun && e.last == "" && operationUnknown(err):
			e.begun = false // the request for execution never arrived
		case err != nil && strings.Contains(err.Error(), "INVALID_HANDLE.OPERATION_ALREADY_EXISTS"):
			e.begun = true // it did arrive
		case err != nil && !passing(err) && !cut(err):
			return err
		}
		if err == nil && (lasted || e.last != before) { // the server keeps the remaining answers
			e.options.Log.Debug("Spark Connect: the next stream of results", "server", e.address.Server(), "operation", e.id)
			continue
		}
		if e.failures++; e.failures >= e.attempts(err) {
			if err == nil {
				err = errBroken
			}
			e.heard(err)
			return err
		}
		wait := e.options.Retry.wait(e.failures, err)
		e.options.Log.Debug("Spark Connect: asking for the rest of the results", "server", e.address.Server(),
			"operation", e.id, "attempt", e.failures+1, "after", wait, "error", err)
		if !pause(ctx, wait) {
			return err
		}
	}
}

// operationUnknown reports whether the server doesn't have the operation, or our session yet.
func operationUnknown(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "INVALID_HANDLE.OPERATION_NOT_FOUND") ||
		strings.Contains(err.Error(), "INVALID_HANDLE.SESSION_NOT_FOUND"))
}

// stream reads one stream to its end. Other answers may follow on another stream.
func (e *execution) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := newWatchdog(e.options.Silence, func() { cancel(errBroken) })
	defer dog.stop()
	err := e.read(ctx, dog)
	if err != nil && context.Cause(ctx) == errBroken {
		return errBroken
	}
	return err
}

func (e *execution) read(ctx context.Context, dog *watchdog) error {
	stream, err := e.open(ctx)
	if err != nil {
		return err
	}
	for {
		answer := new(protocol.ExecutePlanResponse)
		if err := stream.RecvMsg(answer); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		dog.feed()
		if err := e.check(answer.SessionId, answer.ServerSideSessionId); err != nil {
			return err
		}
		// The caller may take any time.
		dog.stop()
		if err := e.take(answer); err != nil {
			return &callbackError{err}
		}
		dog.feed()
		if e.complete {
			return nil
		}
	}
}

func (e *execution) open(ctx context.Context) (grpc.ClientStream, error) {
	if !e.begun {
		e.begun = true
		return e.openStream(ctx, "ExecutePlan", &protocol.ExecutePlanRequest{
			SessionId: e.link.id, UserContext: e.user(), Plan: e.plan, ClientType: e.client(), OperationId: &e.id,
			ClientObservedServerSideSessionId: e.observed(),
			RequestOptions: []*protocol.ExecutePlanRequest_RequestOption{{
				RequestOption: &protocol.ExecutePlanRequest_RequestOption_ReattachOptions{
					ReattachOptions: &protocol.ReattachOptions{Reattachable: true}}}},
		})
	}
	request := &protocol.ReattachExecuteRequest{SessionId: e.link.id, UserContext: e.user(), OperationId: e.id,
		ClientType: e.client(), ClientObservedServerSideSessionId: e.observed()}
	if e.last != "" {
		request.LastResponseId = &e.last
	}
	return e.openStream(ctx, "ReattachExecute", request)
}

func (e *execution) take(answer *protocol.ExecutePlanResponse) error {
	e.last = answer.ResponseId
	switch t := answer.ResponseType.(type) {
	case *protocol.ExecutePlanResponse_ResultComplete_:
		e.complete = true
		return nil
	case *protocol.ExecutePlanResponse_ExecutionProgress_:
		e.progress = progress(t.ExecutionProgress)
		told := e.run.Progress
		if told == nil {
			told = e.options.Progress
		}
		if told != nil {
			told(e.progress)
		}
		return nil
	case *protocol.ExecutePlanResponse_ArrowBatch_:
		e.unfreed += len(t.ArrowBatch.Data)
	}
	if err := e.each(answer); err != nil {
		return err
	}
	if e.unfreed >= releaseEvery && e.releaseUntil(e.last) {
		e.unfreed = 0
	}
	return nil
}
