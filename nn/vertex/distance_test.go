package vertex

import (
	"testing"

	"github.com/dl4go/dl4go/dl4j"
)

// TestL2InFiles: Deeplearning4j's files have no eps; one that is not the default is kept.
func TestL2InFiles(t *testing.T) {
	for eps, want := range map[float64]string{
		1e-8: "{\n  \"@class\" : \"org.deeplearning4j.nn.conf.graph.L2Vertex\"\n}",
		0.5:  "{\n  \"@class\" : \"org.deeplearning4j.nn.conf.graph.L2Vertex\",\n  \"eps\" : 0.5\n}",
	} {
		var v, got Vertex = L2{Eps: eps}, nil
		text, err := dl4j.Marshal(&v)
		if err != nil || string(text) != want {
			t.Errorf("eps %v: %s, error %v", eps, text, err)
		}
		if err := dl4j.Unmarshal(text, &got); err != nil || got != v {
			t.Errorf("%s is read as %+v, error %v", text, got, err)
		}
	}
}
