package external

import (
	"context"
	"fmt"
	"log"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/updater"
)

// A network has the layer like any other.
func ExampleGLU() {
	ctx := context.Background()
	rows, err := dl4go.Read(ctx, "products:256?phase=0") // or csv:FILE?label=COLUMN
	if err != nil {
		log.Fatal(err)
	}
	network := dl4go.Layers(nn.Configuration{
		Updater: updater.NewAdam(),
		Layers:  []layer.Layer{GLU{NOut: 16}, layer.Output{}},
	})
	model, err := dl4go.Train(ctx, dl4go.Config{Network: network, Data: rows, Epochs: 5})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	fmt.Println(model.Network().NumParams(), "parameters")
	// Output: 177 parameters
}
