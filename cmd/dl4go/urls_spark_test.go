//go:build spark && storage

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/storage"
)

// TestURLsOnSpark runs testdata/sparkurls, with the commands of TestURLScripts: $HDFS and $S3 are directories, $SPARK
// is the cluster, $S3A is $S3 with Hadoop's scheme. The workers do not have the scripts' settings and credentials;
// this Spark has no support for S3.
func TestURLsOnSpark(t *testing.T) {
	master := server(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "sparkurls"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("SPARK", master)
			e.Setenv(installedVariable, "yes")
			e.Setenv("TMPDIR", e.Cd)
			sameCollector(e)
			passSettings(e)
			for name, variable := range map[string]string{"HDFS": "DL4GO_HDFS", "S3": "DL4GO_S3"} {
				root := os.Getenv(variable)
				if root == "" {
					t.Fatalf("there is no %s: make test-spark", variable)
				}
				dir := storage.Join(root, filepath.Base(e.WorkDir))
				e.Setenv(name, dir)
				e.Setenv(name+"A", strings.Replace(dir, "s3:", "s3a:", 1))
				if err := storage.MkdirAll(context.Background(), dir); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: urlCommands,
	})
}
