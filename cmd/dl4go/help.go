package main

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/manual"
	"github.com/dl4go/dl4go/nn"
)

// helpTexts are the explanations of the commands, one file each, as manual.Explain takes them, and the headings above
// flags.
//
//go:embed helptexts
var helpTexts embed.FS

// helpText reads one of the texts.
func helpText(name string) string {
	text, err := helpTexts.ReadFile("helptexts/" + name + ".txt")
	if err != nil {
		panic(err) // a command without a text
	}
	return string(text)
}

// explain sets a command's explanation.
func explain(cmd *cobra.Command) {
	text := helpText(cmd.Name())
	if cmd.Name() == "train" {
		text += "\n" + builtInNetworks()
	}
	manual.Explain(cmd, strings.NewReplacer("{{forms}}", source.Forms(), "{{details}}", source.Details()).Replace(text))
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

// help writes the help of a command.
func help(w io.Writer, cmd *cobra.Command, all bool) {
	sections, err := manual.Sections(helpText("sections"))
	if err != nil {
		panic(err) // a mistake in the text
	}
	settings := func(rare bool) []string {
		names := dataFlagNames(func(r bool) bool { return r == rare })
		return slices.DeleteFunc(names, func(name string) bool { return name == "labels" }) // it is beside --data
	}
	for i := range sections {
		if s := &sections[i]; s.Title == "Data settings" {
			s.Flags, s.Rare = settings(false), settings(true)
		}
	}
	manual.Write(w, cmd, sections, all)
}
