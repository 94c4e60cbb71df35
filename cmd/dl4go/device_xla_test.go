//go:build xla

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDeviceScripts runs testdata/xla on the plugin for the processor: see tools/xla.sh.
func TestDeviceScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "xla"),
		Setup: func(e *testscript.Env) error {
			deviceVariables(e)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "done": done},
	})
}

// deviceVariables are those of tools/xla.sh, with a cache of the test's own.
func deviceVariables(e *testscript.Env) {
	for _, name := range []string{"DL4GO_XLA", "DL4GO_DEVICES", "XLA_FLAGS"} { // other flags may give other bits
		e.Setenv(name, os.Getenv(name))
	}
	e.Setenv("XDG_CACHE_HOME", filepath.Join(e.Cd, "cache"))
	e.Setenv("TMPDIR", e.Cd)
}
