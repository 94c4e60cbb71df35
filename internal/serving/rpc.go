package serving

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/dl4go/dl4go/internal/serving/protocol"
)

// rpcName is the protocol's name of the service.
const rpcName = "inference.GRPCInferenceService"

// rpc serves requests over gRPC.
type rpc struct {
	*Repository
	options Options
	held    *budget
}

// method describes a unary call.
func method[Q, A any](s *rpc, name string, f func(context.Context, *Q) (*A, error)) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(_ any, ctx context.Context, read func(any) error,
		_ grpc.UnaryServerInterceptor) (any, error) {
		begin := time.Now()
		ctx, e := s.options.logged(ctx)
		out, err := answer(ctx, s, name, read, f)
		e.log(&s.options, "/"+rpcName+"/"+name, status.Code(err).String(), time.Since(begin))
		return out, err
	}}
}

// answer reads a message and responds to it.
func answer[Q, A any](ctx context.Context, s *rpc, name string, read func(any) error,
	f func(context.Context, *Q) (*A, error)) (any, error) {
	if err := s.admit(ctx, name); err != nil {
		return nil, err
	}
	in := new(Q)
	if err := arrive(ctx, func() error { return read(in) }); err != nil {
		return nil, err
	}
	part := &share{of: s.held}
	defer part.free()
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, shareKey{}, part), s.options.Timeout)
	defer cancel()
	err := part.take(int64(proto.Size(any(in).(proto.Message))))
	if err == nil {
		var out *A
		if out, err = f(ctx, in); err == nil {
			return out, nil
		}
	}
	return nil, status.Error(outcomeOf(err).grpc(), err.Error())
}

// register adds the service to a server.
func (s *rpc) register(to *grpc.Server) {
	to.RegisterService(&grpc.ServiceDesc{ServiceName: rpcName, HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		method(s, "ServerLive", func(context.Context, *pb.ServerLiveRequest) (*pb.ServerLiveResponse, error) {
			return &pb.ServerLiveResponse{Live: true}, nil
		}),
		method(s, "ServerReady", func(context.Context, *pb.ServerReadyRequest) (*pb.ServerReadyResponse, error) {
			return &pb.ServerReadyResponse{Ready: true}, nil
		}),
		method(s, "ServerMetadata", func(context.Context, *pb.ServerMetadataRequest) (*pb.ServerMetadataResponse, error) {
			return &pb.ServerMetadataResponse{Name: platform, Version: s.options.Version, Extensions: extensions()}, nil
		}),
		method(s, "ModelReady", s.modelReady), method(s, "ModelMetadata", s.modelMetadata),
		method(s, "ModelInfer", s.modelInfer)}}, nil)
}

// admit checks the token.
func (s *rpc) admit(ctx context.Context, method string) error {
	header := ""
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		header = strings.Join(md.Get("authorization"), "")
	}
	if s.options.allowed(header) || method == "ServerLive" || method == "ServerReady" {
		return nil
	}
	return status.Error(codes.Unauthenticated, errToken.Error())
}

func (s *rpc) modelReady(_ context.Context, in *pb.ModelReadyRequest) (*pb.ModelReadyResponse, error) {
	_, done, err := s.use(in.Name, in.Version)
	if err != nil { // as with Triton, a missing model is not ready
		return &pb.ModelReadyResponse{}, nil
	}
	done()
	return &pb.ModelReadyResponse{Ready: true}, nil
}

func (s *rpc) modelMetadata(_ context.Context, in *pb.ModelMetadataRequest) (*pb.ModelMetadataResponse, error) {
	m, done, err := s.use(in.Name, in.Version)
	if err != nil {
		return nil, err
	}
	defer done()
	out := &pb.ModelMetadataResponse{Name: m.Name, Versions: s.Versions(m.Name), Platform: platform}
	list := func(of []TensorInfo) (all []*pb.ModelMetadataResponse_TensorMetadata) {
		for _, t := range of {
			all = append(all, &pb.ModelMetadataResponse_TensorMetadata{Name: t.Name, Datatype: t.Datatype, Shape: t.Shape})
		}
		return all
	}
	out.Inputs, out.Outputs = list(m.Inputs), list(m.Outputs)
	return out, nil
}

func (s *rpc) modelInfer(ctx context.Context, in *pb.ModelInferRequest) (*pb.ModelInferResponse, error) {
	q := Question{Model: in.ModelName, Version: in.ModelVersion}
	raw := len(in.RawInputContents) > 0
	if raw && len(in.RawInputContents) != len(in.Inputs) {
		return nil, badf("there are %d raw_input_contents for %d inputs", len(in.RawInputContents), len(in.Inputs))
	}
	for i, t := range in.Inputs {
		x := Tensor{Name: t.GetName(), Shape: t.GetShape()}
		var err error
		if raw {
			x.Data, err = fromBytes(x.Name, t.GetDatatype(), in.RawInputContents[i])
		} else {
			x.Data, err = fromContents(x.Name, t.GetDatatype(), t.GetContents())
		}
		if err != nil {
			return nil, err
		}
		q.Inputs = append(q.Inputs, x)
	}
	for _, o := range in.Outputs {
		q.Outputs = append(q.Outputs, o.GetName())
	}
	reply, err := s.Infer(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &pb.ModelInferResponse{ModelName: reply.Model, ModelVersion: reply.Version, Id: in.Id}
	for _, t := range reply.Outputs {
		o := &pb.ModelInferResponse_InferOutputTensor{Name: t.Name, Datatype: "FP32", Shape: t.Shape}
		if raw {
			out.RawOutputContents = append(out.RawOutputContents, toBytes(nil, t.Data))
		} else {
			o.Contents = &pb.InferTensorContents{Fp32Contents: t.Data}
		}
		out.Outputs = append(out.Outputs, o)
	}
	return out, nil
}

// fromContents reads typed numbers.
func fromContents(name, datatype string, c *pb.InferTensorContents) ([]float32, error) {
	switch datatype {
	case "FP32":
		return c.GetFp32Contents(), nil
	case "FP64":
		return narrowed(c.GetFp64Contents()), nil
	case "INT8", "INT16", "INT32":
		return narrowed(c.GetIntContents()), nil
	case "INT64":
		return narrowed(c.GetInt64Contents()), nil
	case "UINT8", "UINT16", "UINT32":
		return narrowed(c.GetUintContents()), nil
	case "UINT64":
		return narrowed(c.GetUint64Contents()), nil
	case "BOOL":
		x := make([]float32, len(c.GetBoolContents()))
		for i, v := range c.GetBoolContents() {
			if v {
				x[i] = 1
			}
		}
		return x, nil
	}
	return nil, &BadInputError{fmt.Errorf("input %q has the datatype %q; typed contents are numbers, and FP16 goes into "+
		"raw_input_contents", name, datatype)}
}

func narrowed[T float64 | int32 | int64 | uint32 | uint64](from []T) []float32 {
	to := make([]float32, len(from))
	for i, v := range from {
		to[i] = float32(v)
	}
	return to
}
