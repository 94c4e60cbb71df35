package usage

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestMistakes: each check refuses what it is for, as a mistake in the command line, and accepts the rest.
func TestMistakes(t *testing.T) {
	given := func(names ...string) func(string) bool {
		return func(name string) bool { return slices.Contains(names, name) }
	}
	_, unknown := Choose("mode", "apend", "append", "error")
	batch, both := given("batch"), given("batch", "model")
	useless := NoEffect(batch, "workers", "--training plain", "batch")
	for want, err := range map[string]error{
		`--mode "apend": it is one of append, error; did you mean append?`: unknown,
		"--batch and --model can't be given together":                      Apart(both, "batch", "names", "model"),
		"--batch goes with --model M":                                      GoesWith(batch, "--model M", "names", "batch"),
		"--batch is about workers: it has no effect with --training plain": useless,
	} {
		if wrong := (*Error)(nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error %v", want, err)
		}
	}
	mode, err := Choose("mode", "APPEND", "append", "error")
	if err != nil || mode != "append" {
		t.Errorf("%q, %v", mode, err)
	}
	none := given("model")
	err = errors.Join(Apart(none, "batch", "model"), GoesWith(none, "--model", "batch"),
		NoEffect(none, "workers", "--training plain", "batch"))
	if err != nil {
		t.Error(err)
	}
}

// TestAuto: a number from 1 on is stored, auto leaves it as it is, and others are refused.
func TestAuto(t *testing.T) {
	n := 5
	f := &Auto{N: &n}
	if err := f.Set("auto"); err != nil || !f.Auto || n != 5 || f.String() != "auto" {
		t.Errorf("auto: %v, %+v", err, f)
	}
	if err := f.Set("7"); err != nil || f.Auto || n != 7 || f.String() != "7" {
		t.Errorf("7: %v, %+v", err, f)
	}
	for _, text := range []string{"0", "-1", "x", ""} {
		if f.Set(text) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
