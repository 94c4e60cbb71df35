package train

import (
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// TestBestIsReplaced: a kill just before or just after the best network is replaced leaves a file that the run
// recognises.
func TestBestIsReplaced(t *testing.T) {
	dir := t.TempDir()
	run := &bests{save: "model.zip", dir: dir, from: dir}
	var nets []*nn.Network
	for seed := range int64(4) {
		c, err := nn.BuiltIn("softmax", nn.BuiltInData{Input: inputtype.FeedForward(2), Classes: 2}, seed)
		if err != nil {
			t.Fatal(err)
		}
		net, err := nn.New(c)
		if err != nil {
			t.Fatal(err)
		}
		nets = append(nets, net.Base())
	}
	for _, net := range nets[:3] {
		if err := run.replace(t.Context(), net); err != nil {
			t.Fatal(err)
		}
	}
	for i, ours := range []bool{false, true, true, false} { // the second was in the file when the third came
		if err := run.verify(t.Context(), nets[i]); (err == nil) != ours {
			t.Errorf("network %d: %v", i, err)
		}
	}
}
