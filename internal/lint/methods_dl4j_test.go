//go:build dl4j

package lint

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDeeplearning4jMethods: testdata/dl4j-methods.txt agrees with Deeplearning4j's classes for Spark. Their class
// path is in DL4GO_DL4J_SPARK: make test-dl4j runs it.
func TestDeeplearning4jMethods(t *testing.T) {
	classpath := os.Getenv("DL4GO_DL4J_SPARK")
	if classpath == "" {
		t.Fatal("DL4GO_DL4J_SPARK must have the class path of Deeplearning4j on Spark: tools/dl4j.sh sets it, and make " +
			"test-dl4j uses that")
	}
	out, err := exec.Command("java", "-cp", classpath, "../../tools/dl4j/Methods.java").Output()
	if err != nil {
		t.Fatalf("java: %v", err)
	}
	if string(out) != read(t, "testdata/dl4j-methods.txt") {
		t.Errorf("testdata/dl4j-methods.txt is not what tools/dl4j/Methods.java prints, of %d bytes", len(out))
	}
}

// TestDeeplearning4jNetworks: testdata/dl4j-networks.txt has the names of all public methods of Deeplearning4j's
// networks.
func TestDeeplearning4jNetworks(t *testing.T) {
	var want strings.Builder
	for _, class := range []string{"org.deeplearning4j.nn.graph.ComputationGraph",
		"org.deeplearning4j.nn.multilayer.MultiLayerNetwork"} {
		out, err := exec.Command("javap", "-public", "-cp", os.Getenv("DL4GO_DL4J_SPARK"), class).Output()
		if err != nil {
			t.Fatalf("javap: %v", err)
		}
		var names []string
		for _, m := range regexp.MustCompile(`(?m) (\w+)\(`).FindAllStringSubmatch(string(out), -1) {
			names = append(names, m[1])
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			want.WriteString(class[strings.LastIndexByte(class, '.')+1:] + " " + name + "\n")
		}
	}
	if got := read(t, "testdata/dl4j-networks.txt"); got != want.String() {
		t.Errorf("testdata/dl4j-networks.txt has %d bytes, javap's names have %d", len(got), want.Len())
	}
}
