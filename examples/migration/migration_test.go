// Package migration tests the programs of docs/migration.md.
package migration

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/await"
)

// TestPrograms runs the Go programs as their user does. What gradient sharing learns depends on which worker comes
// first.
func TestPrograms(t *testing.T) {
	train, test := csvFiles(t)
	programs := build(t)
	for _, master := range []string{"local[2]", "processes[2]"} {
		for _, p := range []string{"averaging", "sharing"} {
			model := filepath.Join(t.TempDir(), "model.zip")
			accuracy := run(t, 1, filepath.Join(programs, p), "-master", master, train, test, model)
			if p == "averaging" {
				learned(t, p+" on "+master, accuracy[0], 0.9)
			}
			if opened := run(t, 1, filepath.Join(programs, "open"), test, model); opened[0] != accuracy[0] {
				t.Errorf("%s on %s: accuracy %s, of the saved model %s", p, master, accuracy[0], opened[0])
			}
		}
	}
}

// csvFiles writes the digits as the programs read them: 64 pixels and the class.
func csvFiles(t *testing.T) (train, test string) {
	t.Helper()
	dir := t.TempDir()
	write := func(part string) string {
		digits, err := source.Digits(part)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, part+".csv")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		m := digits.Range(0, digits.Objects())
		for i := range digits.Objects() {
			for _, x := range m.Features[0].Data[i*64:][:64] {
				fmt.Fprint(w, x, ",")
			}
			for class, y := range m.Labels[0].Data[i*10:][:10] {
				if y == 1 {
					fmt.Fprintln(w, class)
				}
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("train"), write("test")
}

func build(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if b, err := exec.Command("go", "build", "-ldflags=-w", "-o", dir+string(filepath.Separator), "./averaging",
		"./sharing", "./open").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return dir
}

// run returns the accuracies that a program prints, as text. It expects one for each of lines.
func run(t *testing.T, lines int, program string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(await.Context(t), program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "SPARK_LOCAL_IP=127.0.0.1")
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	var accuracies []string
	for line := range strings.Lines(string(out)) {
		if a, ok := strings.CutPrefix(strings.TrimSpace(line), "accuracy "); ok {
			accuracies = append(accuracies, a)
		}
	}
	if err != nil || len(accuracies) != lines {
		log := problems.String()
		t.Fatalf("%s %s: %v\n%s%s", program, args, err, out, log[max(0, len(log)-4000):])
	}
	return accuracies
}

// learned wants an accuracy that only training gives; by chance it is 0.1.
func learned(t *testing.T, what, accuracy string, least float64) {
	t.Helper()
	var a float64
	if _, err := fmt.Sscan(accuracy, &a); err != nil || a < least {
		t.Errorf("%s: accuracy %s, less than %g", what, accuracy, least)
	}
}
