// Package need skips tests that cannot run here, because this machine lacks something or because short tests were
// asked for. It is the only place that skips tests, so that every skipped test is reported.
package need

import (
	"fmt"
	"os"
	"testing"
)

// ListVariable names the file to which each skipped test appends a line; `make test` prints these at its end.
const ListVariable = "DL4GO_NOT_RUN"

// From skips a test if the machine lacks something: err says what was tried, remedy what to do. With CI=true that is a
// failure, because a CI machine must have everything. A nil err means that nothing is missing.
func From(t testing.TB, err error, remedy string) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%v; with CI=true nothing is left out: %s", err, remedy)
	}
	if list := os.Getenv(ListVariable); list != "" {
		f, cannot := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if cannot == nil {
			_, cannot = fmt.Fprintf(f, "%s (%s)\n", t.Name(), remedy)
			f.Close()
		}
		if cannot != nil {
			t.Fatal(cannot)
		}
	}
	t.Skipf("%v: %s", err, remedy)
}

// Time skips a test if short tests were asked for.
func Time(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
}
