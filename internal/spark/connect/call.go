package connect

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

const service = "/spark.connect.SparkConnectService/"

// response has the common fields of all answers.
type response interface {
	proto.Message
	GetSessionId() string
	GetServerSideSessionId() string
}

// headers adds the address's own headers to the requests of a context.
func (l *link) headers(ctx context.Context) context.Context {
	for k, v := range l.address.Headers {
		ctx = metadata.AppendToOutgoingContext(ctx, k, v)
	}
	return ctx
}

// call sends a request that has one answer. what completes "failed to" in errors.
func call[A any, P interface {
	*A
	response
}](ctx context.Context, l *link, method, what string, request proto.Message) (P, error) {
	limited, cancel := context.WithTimeoutCause(l.headers(ctx), l.options.CallTimeout, errDeadline)
	defer cancel()
	answer := P(new(A))
	err := l.retrying(limited, what, func() error {
		return l.conn.Invoke(limited, service+method, request, answer)
	})
	if err == nil {
		err = l.check(answer.GetSessionId(), answer.GetServerSideSessionId())
	}
	if err != nil {
		settle(limited, err)
		return nil, l.explain(ctx, limited, method+" got no answer", what, "", l.options.CallTimeout, err)
	}
	return answer, nil
}

// openStream sends a request and returns the stream of its answers.
func (l *link) openStream(ctx context.Context, method string, request proto.Message) (grpc.ClientStream, error) {
	stream, err := l.conn.NewStream(ctx, &grpc.StreamDesc{StreamName: method, ServerStreams: true}, service+method)
	if err != nil {
		return nil, err
	}
	if err := stream.SendMsg(request); err != nil {
		// If SendMsg fails with io.EOF, the server's answer has the cause.
		if said := stream.RecvMsg(new(protocol.ExecutePlanResponse)); said != nil {
			err = said
		}
		return nil, err
	}
	return stream, stream.CloseSend()
}

// watchdog calls bark when it is not fed for some time.
type watchdog struct {
	timer   *time.Timer
	silence time.Duration
}

func newWatchdog(silence time.Duration, bark func()) *watchdog {
	return &watchdog{time.AfterFunc(silence, bark), silence}
}

func (w *watchdog) feed() { w.timer.Reset(w.silence) }
func (w *watchdog) stop() { w.timer.Stop() }
