//go:build spark && xla

package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSparkDeviceScripts runs testdata/sparkdevices: workers of Spark on XLA's plugin for the processor.
func TestSparkDeviceScripts(t *testing.T) {
	master := server(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "sparkdevices"),
		Setup: func(e *testscript.Env) error {
			deviceVariables(e)
			sameCollector(e)
			e.Setenv("SPARK", master)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "done": done},
	})
}
