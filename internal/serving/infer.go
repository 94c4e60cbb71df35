package serving

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// Tensor is an input or an output of a model.
type Tensor struct {
	Name  string
	Shape []int64
	Data  []float32
}

// Question is a request for a model's outputs.
type Question struct {
	Model, Version string
	Inputs         []Tensor
	Outputs        []string // the wanted ones; empty: all
}

// Reply is the answer to a Question.
type Reply struct {
	Model, Version string
	Outputs        []Tensor
}

// BadInputError is an error of a request that can't be answered as it is.
type BadInputError struct{ Err error }

// Error returns the problem.
func (e *BadInputError) Error() string { return e.Err.Error() }

func (e *BadInputError) Unwrap() error { return e.Err }

func badf(format string, args ...any) error { return &BadInputError{fmt.Errorf(format, args...)} }

// maskOf marks an input as the mask, [examples, steps], of the input named before the mark.
const maskOf = "_mask"

// Infer answers a question.
func (r *Repository) Infer(ctx context.Context, q Question) (reply *Reply, err error) {
	m, done, err := r.use(q.Model, q.Version)
	if err != nil {
		return nil, err
	}
	defer done()
	begin := time.Now()
	defer func() { r.metrics.answered(m.Spec, begin, err) }()
	about(ctx, m)
	in, err := m.arrays(q.Inputs)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, explained(err)
	}
	asked(ctx, in.Examples())
	if err := takeAnswer(ctx, m.numbers(in.Examples(), slices.Max(in.Features[0].Shape))); err != nil {
		return nil, err
	}
	for _, name := range q.Outputs {
		if !slices.ContainsFunc(m.Outputs, func(o TensorInfo) bool { return o.Name == name }) {
			return nil, badf("model %s has no output %q; it has %s", m.Name, name, names(m.Outputs))
		}
	}
	out, err := m.predictor.PredictData(ctx, in)
	if err != nil {
		return nil, explained(err)
	}
	reply = &Reply{Model: m.Name, Version: m.Version}
	for i, y := range out {
		if q.Outputs != nil && !slices.Contains(q.Outputs, m.Outputs[i].Name) {
			continue
		}
		t := Tensor{Name: m.Outputs[i].Name, Data: y.Data}
		for _, n := range y.Shape {
			t.Shape = append(t.Shape, int64(n))
		}
		reply.Outputs = append(reply.Outputs, t)
	}
	return reply, nil
}

// explained turns errors of data into errors of the request.
func explained(err error) error {
	var value *data.ValueError
	if errors.As(err, &value) && strings.HasPrefix(value.Array, "outputs") || outcomeOf(err) != bad {
		return err
	}
	return &BadInputError{err}
}

// arrays returns the inputs of a question in the order of the model's.
func (m *Model) arrays(inputs []Tensor) (*data.MultiDataSet, error) {
	in := &data.MultiDataSet{Features: make([]*tensor.Dense, len(m.Inputs))}
	for _, t := range inputs {
		name, isMask := strings.CutSuffix(t.Name, maskOf)
		at := slices.IndexFunc(m.Inputs, func(i TensorInfo) bool { return i.Name == t.Name })
		if at < 0 && isMask {
			at = slices.IndexFunc(m.Inputs, func(i TensorInfo) bool { return i.Name == name })
		} else {
			isMask = false
		}
		if at < 0 {
			return nil, badf("model %s has no input %q; it takes %s", m.Name, t.Name, names(m.Inputs))
		}
		shape := make(tensor.Shape, len(t.Shape))
		for i, n := range t.Shape {
			if n < 0 || n > math.MaxInt32 {
				return nil, badf("input %q: the shape is %v; each extent is a number from 0 on", t.Name, t.Shape)
			}
			shape[i] = int(n)
		}
		if n, err := shape.CheckedSize(len(t.Data)); err != nil || n != len(t.Data) {
			return nil, badf("input %q: there are %d numbers for the shape %v", t.Name, len(t.Data), t.Shape)
		}
		x := &tensor.Dense{Shape: shape, Data: t.Data}
		list := in.Features
		if isMask {
			if in.FeatureMasks == nil {
				in.FeatureMasks = make([]*tensor.Dense, len(m.Inputs))
			}
			list = in.FeatureMasks
		} else if err := m.Inputs[at].fits(t.Shape); err != nil {
			return nil, err
		}
		if list[at] != nil {
			return nil, badf("the input %q is there twice", t.Name)
		}
		list[at] = x
	}
	for i, x := range in.Features {
		if x == nil {
			return nil, badf("the input %q is missing; model %s takes %s", m.Inputs[i].Name, m.Name, names(m.Inputs))
		}
	}
	return in, nil
}

// fits compares a shape with the expected one.
func (t TensorInfo) fits(shape []int64) error {
	ok := len(t.Shape) == 1 || len(shape) == len(t.Shape)
	for i := 1; ok && i < len(t.Shape); i++ {
		ok = t.Shape[i] == shape[i] || t.Shape[i] < 0
	}
	if !ok {
		return badf("input %q: the shape is %v; the model takes %v, where -1 is any number", t.Name, shape, t.Shape)
	}
	return nil
}

func names(list []TensorInfo) string {
	var all []string
	for _, t := range list {
		all = append(all, t.Name)
	}
	return data.ShortList(all)
}

// sizeOf returns the size in bytes of an element of a datatype.
func sizeOf(datatype string) int {
	switch datatype {
	case "BOOL", "INT8", "UINT8":
		return 1
	case "INT16", "UINT16", "FP16":
		return 2
	case "INT32", "UINT32", "FP32":
		return 4
	case "INT64", "UINT64", "FP64":
		return 8
	}
	return 0
}

// fromBytes reads little-endian numbers.
func fromBytes(name, datatype string, b []byte) ([]float32, error) {
	size := sizeOf(datatype)
	if size == 0 {
		return nil, badf("input %q has the datatype %q; it may be FP32, FP64, FP16, BOOL, INT8 to INT64, UINT8 to UINT64",
			name, datatype)
	}
	if len(b)%size != 0 {
		return nil, badf("input %q: %d bytes are no whole number of %s", name, len(b), datatype)
	}
	x := make([]float32, len(b)/size)
	order := binary.LittleEndian
	if datatype == "FP32" {
		for i := range x {
			x[i] = math.Float32frombits(order.Uint32(b[4*i:]))
		}
		return x, nil
	}
	for i := range x {
		e := b[i*size:]
		switch datatype {
		case "FP64":
			x[i] = float32(math.Float64frombits(order.Uint64(e)))
		case "FP16":
			x[i] = half(order.Uint16(e))
		case "INT8":
			x[i] = float32(int8(e[0]))
		case "INT16":
			x[i] = float32(int16(order.Uint16(e)))
		case "INT32":
			x[i] = float32(int32(order.Uint32(e)))
		case "INT64":
			x[i] = float32(int64(order.Uint64(e)))
		case "UINT16":
			x[i] = float32(order.Uint16(e))
		case "UINT32":
			x[i] = float32(order.Uint32(e))
		case "UINT64":
			x[i] = float32(order.Uint64(e))
		default:
			x[i] = float32(e[0])
		}
	}
	return x, nil
}

// half returns a number of 16 bits.
func half(b uint16) float32 {
	sign, exponent, fraction := float64(1), int(b>>10&31), float64(b&1023)
	if b>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return float32(sign * math.Ldexp(fraction, -24))
	case 31:
		if fraction != 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	}
	return float32(sign * math.Ldexp(1024+fraction, exponent-25))
}

// toBytes writes little-endian FP32.
func toBytes(to []byte, x []float32) []byte {
	to = slices.Grow(to, 4*len(x))
	for _, v := range x {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
	}
	return to
}
