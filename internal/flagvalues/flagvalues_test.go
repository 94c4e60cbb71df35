package flagvalues

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/usage"
)

// flags returns flags of each kind, as arguments give them.
func flags(t *testing.T, args ...string) *pflag.FlagSet {
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Int("epochs", 3, "")
	fs.String("data", "digits", "")
	fs.StringSlice("features", nil, "")
	fs.String("ui", "", "")
	fs.Lookup("ui").NoOptDefVal = "here"
	fs.String("master", "local[2]", "")
	fs.Float64("rate", 0, "")
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return fs
}

// TestRestore: flags that were not given get the run's values, lists too; given ones stay.
func TestRestore(t *testing.T) {
	kept := Kept{Values: map[string][]string{"epochs": {"5"}, "features": {"a", "b,c"}, "data": {"csv:x"}}}
	fs := flags(t, "--epochs", "9", "--data", "csv:x")
	if err := Restore("run", kept, fs, []string{"data", "features"}); err != nil {
		t.Fatal(err)
	}
	if got := Given(fs, "features"); !slices.Equal(got, []string{"a", "b,c"}) {
		t.Errorf("features are %q", got)
	}
	if got := Given(fs, "epochs"); !slices.Equal(got, []string{"9"}) {
		t.Errorf("epochs are %q", got)
	}
	if Given(fs, "master") != nil || Given(fs, "none") != nil {
		t.Error("flags that were not given have values")
	}
}

// TestRestoreRefuses: what contradicts the run, or is missing, is a mistake in the command line; what the program does
// not know is not.
func TestRestoreRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		kept  Kept
		want  string
		usage bool
	}{
		{"another value", []string{"--data", "csv:y"}, Kept{Values: map[string][]string{"data": {"csv:x"}}},
			"--data csv:y: the run in run has csv:x", true},
		{"not the default", []string{"--data", "csv:y"}, Kept{}, "has digits", true},
		{"not given before", []string{"--rate", "2"}, Kept{}, "--rate 2: the run in run began without this flag", true},
		{"unknown", nil, Kept{Values: map[string][]string{"old": {"1"}}}, "a flag --old, which this program", false},
		{"wrong number", nil, Kept{Values: map[string][]string{"epochs": {"1", "2"}}}, "it has 2 values", false},
		{"secret", nil, Kept{Secret: []string{"master"}}, "--master must be given again", true},
		{"too few epochs", []string{"--epochs", "2"}, Kept{Epochs: 4},
			"--epochs 2: the run in run has done 4; give more than 4", true},
	} {
		err := Restore("run", c.kept, flags(t, c.args...), []string{"data", "rate"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got the error %v", c.name, err)
		}
		if wrong := (*usage.Error)(nil); errors.As(err, &wrong) != c.usage {
			t.Errorf("%s: a mistake in the command line: %v", c.name, !c.usage)
		}
	}
}

// TestArguments: given flags become arguments again, in their order.
func TestArguments(t *testing.T) {
	fs := flags(t, "--ui", "--features", "a,b", "--epochs", "2", "--master", "local")
	want := []string{"--ui", "--features", "a", "--features", "b", "--epochs", "2"}
	if got := Arguments(fs, []string{"master"}, "here"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
