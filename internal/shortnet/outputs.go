package shortnet

import (
	"reflect"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/vertex"
)

type vertexOf = vertex.Vertex

// fitLoss fills in the loss and the activation of an output layer. If one is given, the other fits it; otherwise both
// fit the task.
func fitLoss(of, act reflect.Value, d nn.BuiltInData) {
	if of.IsNil() {
		var fits loss.Loss = loss.NewNegativeLogLikelihood()
		switch a := act.Interface().(type) {
		case nil:
			_, fits = d.Output()
		case activation.Sigmoid:
			fits = loss.NewXENT()
		case activation.Softmax:
		default:
			_, fits = nn.BuiltInData{Task: nn.Regression}.Output()
			_ = a
		}
		of.Set(reflect.ValueOf(fits))
	}
	if !act.IsNil() {
		return
	}
	switch of.Interface().(type) {
	case loss.XENT:
		act.Set(reflect.ValueOf(activation.Sigmoid{}))
	case loss.MCXENT, loss.NegativeLogLikelihood, loss.SparseMCXENT, loss.KLD:
		act.Set(reflect.ValueOf(activation.Softmax{}))
	case loss.MSE, loss.L1, loss.L2, loss.MAE, loss.MAPE, loss.MSLE:
		act.Set(reflect.ValueOf(activation.Identity{}))
	}
}

// paramsOf returns a layer's parameters; none if too many settings are open.
func paramsOf(l layer.Layer) (ps []layer.Param) {
	switch l.(type) {
	case layer.Output, layer.RnnOutput, layer.CenterLossOutput:
		return make([]layer.Param, 1)
	}
	return nil
}
