package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/program/cpu"
)

func summaryCommand() *cobra.Command {
	var model, data, variantName string
	var batch, threads int
	var withProgram, asJSON bool
	cmd := &cobra.Command{
		Use:   "summary --model NAME|FILE",
		Short: "Print a network's table of layers, and the program that trains it",
		Long: `Print the table of a network's layers. A built-in network is that for --data. --program prints what runs in a
training step too: the operations with their shapes, forward, backward and update, and the plan with its buffers.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := newOutput(cmd, asJSON)
			if err := required(cmd, "model"); err != nil {
				return err
			}
			if err := positive(cmd, "batch", "threads"); err != nil {
				return err
			}
			f := engineFlags{kernel: variantName}
			variant, err := f.variant()
			if err != nil {
				return err
			}
			s, err := openData(cmd.Context(), nil, "data", data)
			if err != nil {
				return err
			}
			net, err := openNetwork(o, model, s.Info(), nil)
			if err != nil {
				return err
			}
			o.line("%s", strings.Trim(net.Summary(), "\n"))
			e := event{"model": model, "summary": net.Summary(), "parameters": net.NumParams(), "updaterState": net.NumStates(),
				"iteration": net.Iteration(), "epoch": net.Epoch(), "seed": net.seed}
			if withProgram {
				executor := cpu.New(cpu.Options{Threads: threads, Variant: variant})
				defer executor.Close()
				net.SetExecutor(executor)
				text, err := net.Program(batch)
				if err != nil {
					return fmt.Errorf("--model %s: %w", model, err)
				}
				o.line("\n%s", strings.TrimRight(text, "\n"))
				e["program"], e["batch"] = text, batch
			}
			return o.done(e)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&model, "model", "", "a model zip, a configuration's JSON or YAML, or the `NAME` of a built-in network")
	fs.StringVar(&data, "data", "digits:train", "`SOURCE` of the data that a built-in network is made for")
	fs.BoolVar(&withProgram, "program", false, "print the program of a training step, with shapes and buffers")
	fs.IntVar(&batch, "batch", 64, "examples of the program's minibatch")
	fs.IntVar(&threads, "threads", 0, "threads of the program (default: the processors)")
	fs.StringVar(&variantName, "kernel", "", "instruction set: portable, avx2 or avx512 (default: the machine's best)")
	fs.BoolVar(&asJSON, "json", false, "print JSON, an object a line; the last has \"event\":\"done\"")
	return cmd
}
