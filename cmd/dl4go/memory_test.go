package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// collectAsBefore returns a function that restores the garbage collector's settings. A command sets them for its whole
// process, as --memory says. With 128 MB, later tests would spend their time in the collector.
func collectAsBefore() func() {
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}

// TestMemory: data that exceeds --memory goes to disk, and trains the same model, byte for byte, as data in memory,
// with every engine and method. No file remains.
func TestMemory(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("a,b,c,d,e,f,g,h,i,j,k,l,label\n")
	for range 20_000 {
		sum := 0.0
		for range 12 {
			x := r.NormFloat64()
			sum += x
			fmt.Fprintf(&text, "%.3f,", x)
		}
		text.WriteString(map[bool]string{false: "no\n", true: "yes\n"}[sum > 0])
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	model := func(flags ...string) (model []byte, out string) {
		save := filepath.Join(t.TempDir(), "model.zip")
		out = dl4go(t, append([]string{"train", "--data", "csv:" + path, "--label", "label", "--model", "mlp",
			"--hidden", "8", "--epochs", "1", "--batch", "64", "--save", save}, flags...)...)
		b, err := os.ReadFile(save)
		if err != nil {
			t.Fatal(err)
		}
		return b, out
	}
	for _, training := range []string{"plain", "averaging", "sharing"} {
		method := []string{"--training", training}
		if training == "sharing" { // several workers add their updates in order of arrival
			method = append(method, "--master", "local[1]")
		}
		want, out := model(method...)
		if strings.Contains(out, "to disk") {
			t.Errorf("%s: the data goes to disk: %s", training, out)
		}
		flags := [][]string{append(method, "--memory", "2MB")}
		if training == "averaging" {
			flags = append(flags, append(flags[0], "--master", "processes[2]"), append(flags[0], "--rounds", "jobs"))
		}
		for _, f := range flags {
			got, out := model(f...)
			if !strings.Contains(out, "to disk, in "+temp) {
				t.Errorf("%v: the data does not go to disk: %s", f, out)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%v: from disk the model is another one", f)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(temp, "dl4go-examples-*")); err != nil || len(left) > 0 {
		t.Errorf("files stay: %v (%v)", left, err)
	}
}

// TestMemoryForOneMinibatch: a limit that is too small for the network and its minibatches is refused, with the number
// needed. The limit that was named is enough.
func TestMemoryForOneMinibatch(t *testing.T) {
	defer collectAsBefore()()
	save := filepath.Join(t.TempDir(), "model.zip")
	train := func(limit string) error {
		root := rootCommand("train", "--model", "mlp", "--hidden", "512", "--epochs", "1", "--save", save, "--memory", limit)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		return root.ExecuteContext(t.Context())
	}
	err := train("1MB")
	if err == nil {
		t.Fatal("1 MB was enough")
	}
	needs := regexp.MustCompile(`^--memory: 1.0 MB are too few: .* need ([0-9.]+) (.B); allow more`).FindStringSubmatch(err.Error())
	if needs == nil {
		t.Fatal(err)
	}
	if err := train(needs[1] + needs[2]); err != nil {
		t.Errorf("%s%s, the number named: %v", needs[1], needs[2], err)
	}
}
