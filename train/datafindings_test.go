package train_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/train"
)

// away is data that the driver can't read in any order, as if only workers could read it.
type away struct{ source.Source }

// lastSettings keeps the settings of a run.
type lastSettings map[string]string

func (s lastSettings) Track(_ context.Context, p train.Progress) error {
	maps.Copy(s, p.Run.Settings)
	return nil
}

// TestFindingsOfDataElsewhere: mistakes in data are found whoever reads it, in each way of training.
func TestFindingsOfDataElsewhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	text := []string{"a,leak,label"}
	for i := range 200 {
		text = append(text, fmt.Sprintf("%v,%v,%d", float64(i*7919%200)/200, float64(i%2)+float64(i%50)/100, i%2))
	}
	if err := os.WriteFile(file, []byte(strings.Join(text, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := open(t, "csv:"+file+"?label=label&classes=2")
	conf, err := nn.BuiltIn("softmax", nn.BuiltInData{Input: inputtype.FeedForward(2), Classes: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, method := range methods(t) {
		for where, s := range map[string]source.Source{"here": rows, "elsewhere": away{rows}} {
			net, err := nn.New(conf)
			if err != nil {
				t.Fatal(err)
			}
			found := lastSettings{}
			c := train.Config{Network: net, Data: s, HeldOut: s, Epochs: 1,
				Trackers: []train.Tracker{found}}
			method(&c)
			if _, err := train.Fit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if found["column that tells the label"] != "leak" || found["held-out examples in training"] != "100 %" {
				t.Errorf("%s, %s: %v", name, where, found)
			}
		}
	}
}
