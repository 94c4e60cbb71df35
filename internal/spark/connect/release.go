package connect

import (
	"context"

	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// releaseEvery is how many bytes of answers are taken before the server is told to drop them.
const releaseEvery = 8 << 20

// releaseUntil tells the server to drop the answers up to this one. It returns false if an earlier request is still
// running.
func (e *execution) releaseUntil(id string) bool {
	if !e.releasing.CompareAndSwap(false, true) {
		return false
	}
	request := e.releaseRequest()
	request.Release = &protocol.ReleaseExecuteRequest_ReleaseUntil_{
		ReleaseUntil: &protocol.ReleaseExecuteRequest_ReleaseUntil{ResponseId: id}}
	e.release(request, func() { e.releasing.Store(false) })
	return true
}

// releaseAll tells the server to forget the operation. Only Close waits for that.
func (e *execution) releaseAll() {
	request := e.releaseRequest()
	request.Release = &protocol.ReleaseExecuteRequest_ReleaseAll_{
		ReleaseAll: new(protocol.ReleaseExecuteRequest_ReleaseAll)}
	e.release(request, func() {})
}

func (e *execution) releaseRequest() *protocol.ReleaseExecuteRequest {
	return &protocol.ReleaseExecuteRequest{SessionId: e.link.id, UserContext: e.user(), OperationId: e.id,
		ClientType: e.client(), ClientObservedServerSideSessionId: e.observed()}
}

func (e *execution) release(request *protocol.ReleaseExecuteRequest, done func()) {
	e.releases.Add(1)
	go func() {
		defer e.releases.Done()
		defer done()
		ctx, cancel := context.WithTimeout(e.headers(context.Background()), farewell)
		defer cancel()
		err := e.conn.Invoke(ctx, service+"ReleaseExecute", request, new(protocol.ReleaseExecuteResponse))
		if err != nil && !operationUnknown(err) {
			e.options.Log.Debug("Spark Connect: releasing results", "server", e.address.Server(), "operation", e.id,
				"error", status.Convert(err).Message())
		}
	}()
}

// abandon interrupts the operation and releases it. It waits for the end of a command, so that the caller can remove
// the command's results.
func (e *execution) abandon(ctx context.Context) {
	if e.begun && !e.complete {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		interrupted, err := e.Interrupt(ctx, e.id)
		if err == nil && len(interrupted) > 0 && e.plan.GetCommand() != nil {
			err = e.awaitEnd(ctx)
		}
		if err != nil {
			e.options.Log.Warn("Spark Connect: an operation could not be interrupted, and may still run",
				"server", e.address.Server(), "operation", e.id, "error", err)
		}
	}
	e.releaseAll()
}

// awaitEnd reads answers until the server reports the operation's end. Its tasks may still run.
func (e *execution) awaitEnd(ctx context.Context) error {
	e.each, e.run.Progress = ignore, func(Progress) {}
	ctx = e.headers(ctx)
	for failures := 1; ; failures++ {
		err := e.stream(ctx)
		if e.complete || err != nil && ctx.Err() == nil && !passing(err) && !cut(err) {
			return nil
		}
		if !pause(ctx, e.options.Retry.wait(failures, err)) {
			return context.Cause(ctx)
		}
	}
}
