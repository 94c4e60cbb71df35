//go:build xla

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/internal/xla/faulty"
)

// faultyXLA is a device process with a fault set by a variable: see package faulty.
const faultyXLA = "dl4go-xla-faulty"

func init() { programs[faultyXLA] = faulty.Main }

// TestDeviceScripts runs testdata/xla on the plugin for the processor: see tools/xla.sh.
func TestDeviceScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "xla"),
		Setup: func(e *testscript.Env) error {
			deviceVariables(e)
			sameCollector(e)
			path, err := exec.LookPath(faultyXLA)
			e.Setenv("FAULTY_XLA", path)
			e.Setenv(faulty.Real, os.Getenv("DL4GO_XLA"))
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "done": done,
			"configuration": saveConfiguration, "sameAnswers": sameAnswers(t)},
	})
}

// deviceVariables sets the variables of tools/xla.sh, with a cache of the test's own.
func deviceVariables(e *testscript.Env) {
	for _, name := range []string{"DL4GO_XLA", "DL4GO_DEVICES", "XLA_FLAGS"} { // other flags may give other bits
		e.Setenv(name, os.Getenv(name))
	}
	e.Setenv("XDG_CACHE_HOME", filepath.Join(e.Cd, "cache"))
	e.Setenv("TMPDIR", e.Cd)
}
