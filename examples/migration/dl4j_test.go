//go:build dl4j

package migration

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDeeplearning4jMigration runs the Java programs with the real Deeplearning4j on Spark and has each side open the
// models of the other: the accuracies are the same. Spark runs one task at a time, because Deeplearning4j's shared
// training can hang otherwise: a task that joins while the last minibatch of another ends waits for an event that has
// passed. The class path is in DL4GO_DL4J_SPARK: make test-dl4j runs it.
func TestDeeplearning4jMigration(t *testing.T) {
	classpath := os.Getenv("DL4GO_DL4J_SPARK")
	if classpath == "" {
		t.Fatal("DL4GO_DL4J_SPARK must have the class path of Deeplearning4j on Spark: tools/dl4j.sh sets it, and make " +
			"test-dl4j uses that")
	}
	dir := t.TempDir()
	sources, err := filepath.Glob("java/*.java")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := exec.Command("javac", append([]string{"-proc:none", "-nowarn", "-encoding", "UTF-8", "-cp", classpath,
		"-d", dir}, sources...)...).CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, b)
	}
	options, err := filepath.Abs("java/jvm.options")
	if err != nil {
		t.Fatal(err)
	}
	java := func(lines int, class string, args ...string) []string {
		t.Helper()
		return run(t, lines, "java", append([]string{"@" + options, "-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-Dspark.master=local[1]", "-cp", dir + string(filepath.ListSeparator) + classpath, class}, args...)...)
	}
	train, test := csvFiles(t)
	programs := build(t)
	var models, accuracies []string
	// Deeplearning4j's threads share gradients in an order of their own: its accuracy is no fact to hold
	var least []float64
	for _, p := range []struct{ java, ours string }{{"Averaging", "averaging"}, {"Sharing", "sharing"}} {
		theirs, own := filepath.Join(dir, p.java+".zip"), filepath.Join(dir, p.ours+".zip")
		models = append(models, theirs, own)
		least = append(least, 0.5, 0.9)
		accuracies = append(accuracies, java(1, p.java, train, test, theirs)...)
		accuracies = append(accuracies, run(t, 1, filepath.Join(programs, p.ours), train, test, own)...)
	}
	files := append([]string{test}, models...)
	inJava := java(len(models), "Open", files...)
	inGo := run(t, len(models), filepath.Join(programs, "open"), files...)
	for i, model := range models {
		t.Logf("%s: %s where it was trained", filepath.Base(model), accuracies[i])
		learned(t, model, accuracies[i], least[i])
		if inJava[i] != accuracies[i] || inGo[i] != accuracies[i] {
			t.Errorf("%s: accuracy %s where it was trained, %s in Deeplearning4j, %s here", model, accuracies[i], inJava[i],
				inGo[i])
		}
	}
}
