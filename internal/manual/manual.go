// Package manual shows help texts on a terminal: the purpose of a command, its usage, and its flags under headings.
package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/progress"
)

// All is the flag that shows everything.
const All = "help-all"

// more is the annotation of a command with the text that only All shows.
const more = "more"

// TakeAll replaces --help-all among the arguments by --help, and reports whether it was there.
func TakeAll(args []string) ([]string, bool) {
	for i, arg := range args {
		switch arg {
		case "--":
			return args, false
		case "--" + All:
			args = slices.Clone(args)
			args[i] = "--help"
			return args, true
		}
	}
	return args, false
}

// Explain sets the explanation of a command: the text of --help and, after a line --help-all, the text that only
// --help-all shows.
func Explain(cmd *cobra.Command, text string) {
	long, all, _ := strings.Cut(text, "\n\n--"+All+"\n\n")
	cmd.Long, cmd.Annotations = long, map[string]string{more: strings.TrimSuffix(all, "\n")}
}

// Write writes the help of a command. Without all, it leaves out what only --help-all shows.
func Write(w io.Writer, cmd *cobra.Command, sections []Section, all bool) {
	fmt.Fprintln(w, cmd.Long)
	if text := cmd.Annotations[more]; all && text != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(text))
	}
	fmt.Fprintf(w, "\nUsage:\n  %s\n", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-12s %s\n", c.Name(), c.Short)
			}
		}
	}
	hidden := 0
	for _, s := range sections {
		shown := s.Flags
		if all || slices.Contains(s.ShownBy, cmd.Name()) {
			shown = slices.Concat(s.Flags, s.Rare)
		} else {
			hidden += len(known(cmd, s.Rare))
		}
		s.write(w, cmd, shown)
	}
	if hidden > 0 || !all && cmd.Annotations[more] != "" {
		fmt.Fprintf(w, "\n%s --help-all explains more", cmd.CommandPath())
		if hidden > 0 {
			fmt.Fprintf(w, ", and has %s", progress.Plural(hidden, "further flag"))
		}
		fmt.Fprintln(w, ".")
	}
}

// write writes the named flags under the heading.
func (s Section) write(w io.Writer, cmd *cobra.Command, names []string) {
	lines := known(cmd, names)
	if len(lines) == 0 {
		return
	}
	title := s.Title
	if s.Elsewhere != "" && cmd.Name() != s.Here {
		title = s.Elsewhere
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, f := range lines {
		fmt.Fprintln(w, FlagLine(f))
	}
}

// known returns those of the named flags that the command has.
func known(cmd *cobra.Command, names []string) []*pflag.Flag {
	var flags []*pflag.Flag
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f == nil {
			f = cmd.InheritedFlags().Lookup(name)
		}
		if f != nil {
			flags = append(flags, f)
		}
	}
	return flags
}

// TextColumn is the column at which the texts about flags begin.
const TextColumn = 29

// FlagLine returns a flag's line: its name, the name of its value, its effect, and its default. A usage text begins
// with the value's name in backquotes, unless the flag is a switch.
func FlagLine(f *pflag.Flag) string {
	name, text := "--"+f.Name, f.Usage
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if rest, ok := strings.CutPrefix(text, "`"); ok {
		value, rest, _ := strings.Cut(rest, "`")
		if f.NoOptDefVal == "" {
			name += " "
		}
		name, text = name+value, rest
		if !strings.HasPrefix(rest, ".") {
			text = strings.TrimSpace(rest)
		}
	}
	switch f.DefValue {
	case "", "0", "false", "[]", "0s":
	default:
		if !strings.Contains(text, "(default") {
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
	}
	return fmt.Sprintf("  %-*s %s", TextColumn-3, name, text)
}
