package shortnet

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// TestTable: docs/networks.md ends with the output of dl4go schema names.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/networks.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), "\n\n"+Table()) {
		t.Errorf("the tables of docs/networks.md are not current: they are\n%s", Table())
	}
}

// TestDocs reads the networks of docs/networks.md.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/networks.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(found) < 4 {
		t.Fatalf("%d examples", len(found))
	}
	for _, m := range found {
		yaml := string(m[1])
		d := nn.BuiltInData{Input: inputtype.FeedForward(4), Classes: 3}
		if strings.HasPrefix(yaml, "  - ") { // layers of a network of sequences
			yaml = "input: {sequence: {features: 3}}\nlayers:\n" + yaml + "  - rnnOutput\n"
		}
		if n := read(t, yaml, d); n.NumParams() == 0 {
			t.Errorf("no parameters: %s", yaml)
		}
	}
}
