//go:build dl4j

package lint

import (
	"os"
	"os/exec"
	"testing"
)

// TestDeeplearning4jMethods: testdata/dl4j-methods.txt is what Deeplearning4j's classes for Spark have. Their class path is in
// DL4GO_DL4J_SPARK: make test-dl4j runs it.
func TestDeeplearning4jMethods(t *testing.T) {
	classpath := os.Getenv("DL4GO_DL4J_SPARK")
	if classpath == "" {
		t.Fatal("DL4GO_DL4J_SPARK must have the class path of Deeplearning4j on Spark: tools/dl4j.sh sets it, and make test-dl4j uses that")
	}
	out, err := exec.Command("java", "-cp", classpath, "../../tools/dl4j/Methods.java").Output()
	if err != nil {
		t.Fatalf("java: %v", err)
	}
	if string(out) != read(t, "testdata/dl4j-methods.txt") {
		t.Errorf("testdata/dl4j-methods.txt is not what tools/dl4j/Methods.java prints, of %d bytes", len(out))
	}
}
