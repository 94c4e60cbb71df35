package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/shortnet"
)

// schemaCommand prints the schemas of files that people write.
func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema network|names",
		Short: "Print the JSON Schema of networks in the short form, for editors",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != "network" && args[0] != "names" {
				return usagef("dl4go schema takes one name, got %q: dl4go schema network, or dl4go schema names", args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "names" {
				_, err := io.WriteString(cmd.OutOrStdout(), shortnet.Table())
				return err
			}
			text, err := shortnet.Schema()
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		},
	}
}
