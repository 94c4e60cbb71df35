package connect

import (
	"context"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// InterruptAll interrupts everything that runs in the session. It gives the IDs of what was interrupted.
func (s *Session) InterruptAll(ctx context.Context) ([]string, error) {
	return s.interrupt(ctx, &protocol.InterruptRequest{InterruptType: protocol.InterruptRequest_INTERRUPT_TYPE_ALL})
}

// Interrupt interrupts one operation, by the ID that Error.Operation has.
func (s *Session) Interrupt(ctx context.Context, operation string) ([]string, error) {
	return s.interrupt(ctx, &protocol.InterruptRequest{InterruptType: protocol.InterruptRequest_INTERRUPT_TYPE_OPERATION_ID,
		Interrupt: &protocol.InterruptRequest_OperationId{OperationId: operation}})
}

func (s *Session) interrupt(ctx context.Context, r *protocol.InterruptRequest) ([]string, error) {
	r.SessionId, r.UserContext, r.ClientType = s.id, s.user(), s.client()
	r.ClientObservedServerSideSessionId = s.observed()
	answer, err := call[protocol.InterruptResponse](ctx, s, "Interrupt", "interrupt what runs", r)
	return answer.GetInterruptedIds(), err
}
