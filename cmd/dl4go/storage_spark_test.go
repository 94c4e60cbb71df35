//go:build spark

package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestStorageScripts runs testdata/storage, with the commands of TestScripts, on the Spark server that $SPARK names.
// The server has access to the scripts' directories.
func TestStorageScripts(t *testing.T) {
	master := server(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "storage"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("SPARK", master)
			e.Setenv(installedVariable, "yes")
			e.Setenv("TMPDIR", e.Cd)
			sameCollector(e)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "done": done, "kept": keptIn, "dataset": saveDataset, "configuration": saveConfiguration,
		},
	})
}

// keptIn sets $KEPT to the only entry of a directory.
func keptIn(ts *testscript.TestScript, _ bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%s has %v", args[0], found)
	}
	ts.Setenv("KEPT", found[0])
}
