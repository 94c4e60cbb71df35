package connect

import (
	"context"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// InterruptAll interrupts all operations of the session. It returns their IDs.
func (o *operations) InterruptAll(ctx context.Context) ([]string, error) {
	return o.interrupt(ctx, &protocol.InterruptRequest{InterruptType: protocol.InterruptRequest_INTERRUPT_TYPE_ALL})
}

// Interrupt interrupts one operation, by its ID (see Error.Operation).
func (o *operations) Interrupt(ctx context.Context, operation string) ([]string, error) {
	return o.interrupt(ctx, &protocol.InterruptRequest{
		InterruptType: protocol.InterruptRequest_INTERRUPT_TYPE_OPERATION_ID,
		Interrupt:     &protocol.InterruptRequest_OperationId{OperationId: operation}})
}

func (o *operations) interrupt(ctx context.Context, r *protocol.InterruptRequest) ([]string, error) {
	r.SessionId, r.UserContext, r.ClientType = o.id, o.user(), o.client()
	r.ClientObservedServerSideSessionId = o.observed()
	answer, err := call[protocol.InterruptResponse](ctx, o.link, "Interrupt", "interrupt what runs", r)
	return answer.GetInterruptedIds(), err
}
