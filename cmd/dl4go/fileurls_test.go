package main

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// notInScript are flags that testdata/script/fileurls.txtar can't use, with the reason.
var notInScript = map[string]string{
	"worker-binary": "file:///PATH is of the executors there",
	"token-file":    "needs a Spark cluster", "ca-file": "needs a Spark cluster",
	"client-cert": "needs a Spark cluster", "client-key": "needs a Spark cluster",
	"credentials": "a coordinator runs until it is ended", "coordinator": "needs a coordinator",
	"tls-cert": "a server runs until it is ended", "tls-key": "as tls-cert", "client-ca": "as tls-cert",
	"access-token": "as tls-cert", "ui-cert": "as tls-cert", "ui-key": "as tls-cert",
	"from":           "a directory of wheels, which the tests don't have",
	"device-plugins": "a directory of plugins, which the tests don't have",
	"predictions":    "an array, opened as --model's file is", "labels": "as predictions", "mask": "as predictions",
}

// TestFileURLFlags: the script gives a file: URL to each flag that names a file or a directory.
func TestFileURLFlags(t *testing.T) {
	script, err := os.ReadFile("testdata/script/fileurls.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			if !slices.Contains([]string{"FILE", "DIR", "KIND=FILE"}, kind) || notInScript[f.Name] != "" ||
				cmd.Name() == "doctor" {
				return
			}
			if !regexp.MustCompile(`dl4go ` + cmd.Name() + ` .*--` + f.Name + ` file:`).Match(script) {
				t.Errorf("dl4go %s --%s is not tried with a file: URL", cmd.Name(), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(rootCommand())
}
