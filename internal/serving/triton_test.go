//go:build triton

package serving

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/serve"
)

// TestPythonTriton: Triton's own clients get exactly the network's outputs, over HTTP and gRPC, in JSON and binary.
func TestPythonTriton(t *testing.T) {
	python := os.Getenv("DL4GO_PYTHON")
	if python == "" {
		t.Fatal("DL4GO_PYTHON is not set: make test-serve sets it")
	}
	s := start(t, Options{}, serve.Options{})
	_, want := s.features()
	cmd := exec.CommandContext(t.Context(), python, "testdata/triton.py", strings.TrimPrefix(s.web, "http://"),
		s.rpc.Target())
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines {
		var got struct{ Form, Bytes string }
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got.Bytes != hex.EncodeToString(toBytes(nil, want)) {
			t.Errorf("%s: %s, not %x", got.Form, got.Bytes, toBytes(nil, want))
		}
	}
	if len(lines) < 12 {
		t.Errorf("only %d answers", len(lines))
	}
}
