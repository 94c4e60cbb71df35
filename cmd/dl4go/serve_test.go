package main

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/cpu"
)

// TestServePrecision: models are served with the products that --precision asks for, or not at all.
func TestServePrecision(t *testing.T) {
	f := &serveFlags{}
	f.server.Log = slog.New(slog.DiscardHandler)
	if err := f.device(); err != nil || f.predictor.Executor != nil {
		t.Errorf("without --precision: %v", err)
	}
	f.on.Device.Precision = "bf16"
	err := f.device()
	if _, none := (cpu.Kernels{}).WithBF16(); none != nil {
		if err == nil || !strings.Contains(err.Error(), none.Error()) {
			t.Errorf("%v, want %v", err, none)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.predictor.Executor()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if k := e.(*cpu.Executor).Kernels().String(); !strings.HasSuffix(k, "?precision=bf16") {
		t.Errorf("the kernels are %s", k)
	}
}
