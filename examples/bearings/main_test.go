package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/nn"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// TestSameEverywhere runs the program as a user would, and wants the same result of each engine.
func TestSameEverywhere(t *testing.T) {
	program := build(t)
	want := outcome(t, program, "local[2]")
	for _, master := range []string{"local[3]", "processes[2]"} {
		if got := outcome(t, program, master); got != want {
			t.Errorf("%s:\n%s\nlocal[2]:\n%s", master, got, want)
		}
	}
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "bearings")
	if b, err := exec.Command("go", "build", "-ldflags=-w", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return program
}

// outcome is what the program prints: every score, accuracy, and the parameters' checksum. It must have learned
// something.
func outcome(t *testing.T, program, master string) string {
	t.Helper()
	run := exec.CommandContext(await.Context(t), program, "--master", master)
	temp := t.TempDir()
	run.Env = append(os.Environ(), "TMPDIR="+temp)
	var problems strings.Builder
	run.Stderr = &problems
	b, err := run.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", master, err, b, &problems)
	}
	var last, epoch int
	var score, accuracy float64
	var sum uint32
	for line := range strings.Lines(string(b)) {
		if n, _ := fmt.Sscanf(line, "epoch %d: score %f, accuracy %f", &epoch, &score, &accuracy); n == 3 {
			last = epoch
		}
		fmt.Sscanf(line, "parameters %x", &sum)
	}
	if last != epochs || accuracy < 0.9 || sum == 0 {
		t.Errorf("%s: accuracy %v after epoch %d, wanted 0.9 after %d; checksum %08x\n%s", master, accuracy, last, epochs,
			sum, &problems)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%s: %v is left in the temporary directory; error %v", master, left, err)
	}
	return string(b)
}

// TestLayerInFiles: the layer's class is in the configuration that goes to workers and into model files.
func TestLayerInFiles(t *testing.T) {
	net, err := nn.New(configuration)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(3)
	path := filepath.Join(t.TempDir(), "model.zip")
	if err := net.Save(t.Context(), path, nn.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	read, err := nn.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := read.Config().Layers[0].(Maxout); !ok || l.Pieces != 3 || l.NIn != bins ||
		!slices.Equal(read.Params(), net.Params()) {
		t.Errorf("layer 0 is %+v; equal parameters: %v", l, slices.Equal(read.Params(), net.Params()))
	}
	if n := 3*24*(bins+1) + 4*(24+1); read.NumParams() != n {
		t.Errorf("%d parameters, wanted %d", read.NumParams(), n)
	}
}

func TestDamagedFiles(t *testing.T) {
	for _, content := range []string{"", "VIB2", magic + "\x01\x00", magic + "\x09" + strings.Repeat("\x00", 2*samples)} {
		path := filepath.Join(t.TempDir(), "damaged.vib")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		e, err := engine.Open(context.Background(), "local[1]", engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		_, err = spectra(e, []string{path}).Count(context.Background())
		if err == nil || !strings.Contains(err.Error(), "damaged.vib") {
			t.Errorf("%q: %v", content, err)
		}
	}
}
