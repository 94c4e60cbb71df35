//go:build storage

package main

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/storage"
)

// TestURLScripts runs testdata/urls in a directory of each available file system, which is $ROOT. Its commands, beside
// those of TestScripts:
//
//	put FILE URL        copies a file of the script
//	same URL FILE       both have the same bytes
//	listed N URL        the directory has this many files
func TestURLScripts(t *testing.T) {
	some := false
	for scheme, variable := range map[string]string{"s3": "DL4GO_S3", "hdfs": "DL4GO_HDFS"} {
		root := os.Getenv(variable)
		if root == "" {
			continue
		}
		some = true
		t.Run(scheme, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir: filepath.Join("testdata", "urls"),
				Setup: func(e *testscript.Env) error {
					dir := storage.Join(root, filepath.Base(e.WorkDir)+"-"+rand.Text())
					e.Setenv("ROOT", dir)
					e.Setenv("TMPDIR", e.Cd)
					sameCollector(e)
					passSettings(e)
					return storage.MkdirAll(context.Background(), dir)
				},
				Condition: func(name string) (bool, error) { return name == scheme, nil },
				Cmds:      urlCommands,
			})
		})
	}
	if !some {
		t.Error("there are no URLs: make test-storage")
	}
}

// passSettings makes the file systems available to the script's commands.
func passSettings(e *testscript.Env) {
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "HADOOP_") {
			e.Setenv(name, value)
		}
	}
}

var urlCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits": exits, "done": done, "dataset": saveDataset, "configuration": saveConfiguration,
	"put": func(ts *testscript.TestScript, _ bool, args []string) {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		ts.Check(err)
		ts.Check(storage.WriteFile(context.Background(), args[1],
			func(w io.Writer) error { _, err := w.Write(b); return err }))
	},
	"same": func(ts *testscript.TestScript, _ bool, args []string) {
		got, err := storage.ReadFile(context.Background(), args[0])
		ts.Check(err)
		if want := ts.ReadFile(args[1]); string(got) != want {
			ts.Fatalf("%s has %d bytes, which are not the %d of %s", args[0], len(got), len(want), args[1])
		}
	},
	"listed": func(ts *testscript.TestScript, _ bool, args []string) {
		files, err := storage.List(context.Background(), args[1])
		ts.Check(err)
		if strconv.Itoa(len(files)) != args[0] {
			ts.Fatalf("%s has %v, not %s", args[1], files, args[0])
		}
	},
}
