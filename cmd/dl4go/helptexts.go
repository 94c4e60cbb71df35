package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/nn"
)

// helpTexts are the explanations of the commands, one file each: the text of --help and, after a line --help-all, the
// text that only --help-all shows.
//
//go:embed helptexts
var helpTexts embed.FS

// explain sets a command's explanations.
func explain(cmd *cobra.Command) {
	text, err := helpTexts.ReadFile("helptexts/" + cmd.Name() + ".txt")
	if err != nil {
		panic(err) // a command without a text
	}
	long, all, _ := strings.Cut(string(text), "\n\n--help-all\n\n")
	if cmd.Name() == "train" {
		all += "\n" + builtInNetworks()
	}
	cmd.Long, cmd.Annotations = long, map[string]string{more: strings.TrimSuffix(all, "\n")}
}

// builtInNetworks lists the built-in networks.
func builtInNetworks() string {
	var b strings.Builder
	b.WriteString("Built-in networks (--model), shaped to fit the data; the default is lenet for images and mlp for " +
		"the rest:")
	for _, n := range nn.BuiltIns() {
		fmt.Fprintf(&b, "\n  %-9s %s", n, nn.AboutBuiltIn(n))
	}
	return b.String()
}
