//go:build spark

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// TestQueryScripts runs testdata/query, with the commands of TestScripts, on the Spark server that $SPARK names.
// $TABLE is the name of no existing table; the table is dropped at the end.
func TestQueryScripts(t *testing.T) {
	master := server(t)
	a, err := connect.ParseAddress(master)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	s, err := connect.Open(ctx, a, connect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(ctx) })
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "query"),
		Setup: func(e *testscript.Env) error {
			table := fmt.Sprintf("predictions_%x", rand.Uint64())
			e.Setenv("SPARK", master)
			e.Setenv(installedVariable, "yes")
			e.Setenv("TABLE", table)
			e.Setenv("TMPDIR", e.Cd)
			sameCollector(e)
			e.Defer(func() {
				for _, name := range []string{table, table + "_empty"} {
					if _, err := s.Exec(ctx, "DROP TABLE IF EXISTS "+name); err != nil {
						t.Error(err)
					}
				}
			})
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "done": done},
	})
}
