package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/registry"
)

// choose finds a flag's value among the allowed ones, regardless of case.
func choose[T ~string](flag, value string, all ...T) (T, error) {
	var names []string
	for _, v := range all {
		if strings.EqualFold(string(v), value) {
			return v, nil
		}
		names = append(names, string(v))
	}
	return "", usagef("--%s %q: it is one of %s%s", flag, value, strings.Join(names, ", "),
		registry.SuggestWord(value, names))
}

// positive refuses given numbers below 1, and more threads than possible.
func positive(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if n, err := cmd.Flags().GetInt(name); err != nil {
			return err
		} else if n < 1 && cmd.Flags().Changed(name) {
			return usagef("--%s %d: it must be at least 1", name, n)
		} else if name == "threads" && n > parallel.MaxThreads {
			return usagef("--threads %d: there may be %d", n, parallel.MaxThreads)
		}
	}
	return nil
}

// required fails unless these flags were given.
func required(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f.Value.String() == "" {
			return usagef("--%s is needed: %s --help shows how", name, cmd.CommandPath())
		}
	}
	return nil
}
