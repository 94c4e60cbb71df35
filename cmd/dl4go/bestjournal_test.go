package main

import (
	"io"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/storage/checkpoint"
	"github.com/dl4go/dl4go/tensor"
)

// TestBestIsReplaced: a kill right before or right after the best network is replaced leaves a file that the run knows.
func TestBestIsReplaced(t *testing.T) {
	dir, err := checkpoint.Create(t.Context(), t.TempDir(), checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	run := &training{trainFlags: &trainFlags{save: "model.zip"}, out: &output{out: io.Discard, err: io.Discard}, keeper: &keeper{dir: dir}, from: &resumed{dir: dir}}
	info := source.Info{Features: []tensor.Shape{{2}}, Labels: []tensor.Shape{{2}}, Classes: 2}
	var nets []*network
	for seed := range int64(4) {
		net, err := builtIn("softmax", info, &seed)
		if err != nil {
			t.Fatal(err)
		}
		nets = append(nets, net)
	}
	for _, net := range nets[:3] {
		if err := run.replacesBest(net.Network); err != nil {
			t.Fatal(err)
		}
	}
	for i, ours := range []bool{false, true, true, false} { // the second one was in the file when the third one came
		if err := run.verifyBest(nets[i].Network); (err == nil) != ours {
			t.Errorf("network %d: %v", i, err)
		}
	}
}
