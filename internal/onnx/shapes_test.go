package onnx

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/vertex"
)

// TestOwnShapes: shapes in the configuration of a graph are those of the model's inputs. Saving keeps them. Steps that
// come before their values stay there.
func TestOwnShapes(t *testing.T) {
	conf := nn.GraphConfiguration{Defaults: nn.Configuration{AnyOutput: true}, Inputs: []string{"in"},
		InputShapes: [][]int{{-1, 2}}, Outputs: []string{"out"}, Vertices: []nn.GraphVertex{
			{Name: "last", Vertex: vertex.ChannelsLast{}, Inputs: []string{"in"}},
			{Name: "twice", Layer: layer.Upsampling1D{Size: [2]int{2, 2}}, Inputs: []string{"last"}},
			{Name: "out", Layer: layer.RnnOutput{NIn: 2, NOut: 3, Format: inputtype.NWC, Loss: loss.MSE{},
				Activation: activation.Identity{}}, Inputs: []string{"twice"}}}}
	text, err := conf.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if conf, err = nn.LoadGraphConfiguration(text); err != nil {
		t.Fatal(err)
	}
	g, err := nn.NewGraph(conf)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	model, err := export(&g.Network, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(model.Graph.Inputs[0].Dims, model.Graph.Outputs[0].Dims)
	if want := "[{0 batch} {0 time} {2 }] [{0 batch} {-1 } {3 }]"; got != want {
		t.Errorf("the model's shapes are %s, want %s", got, want)
	}
	conf.InputShapes = append(conf.InputShapes, []int{1})
	if _, err := nn.NewGraph(conf); err == nil {
		t.Error("two shapes of one input are accepted")
	}
}
