package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/workplace"
	"github.com/dl4go/dl4go/nn"
)

func summaryCommand() *cobra.Command {
	var model, data, kernelName string
	var shape shapeFlags
	var batch, threads int
	var withProgram, asJSON bool
	cmd := &cobra.Command{
		Use:   "summary NAME|FILE",
		Short: "Print a network's layers, and the program of a training step",
		Args:  arguments.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			o := newOutput(cmd, asJSON)
			if len(args) == 1 && cmd.Flags().Changed("model") {
				return usagef("the network is named twice, by --model and as %s: leave one out", args[0])
			}
			if len(args) == 1 {
				model = args[0]
			} else if err := arguments.Required(cmd, "model"); err != nil {
				return err
			}
			if err := arguments.Positive(cmd, "batch", "threads"); err != nil {
				return err
			}
			f := workplace.Engine{Kernel: kernelName}
			kernels, err := f.Kernels()
			if err != nil {
				return err
			}
			wish, err := shape.wish(cmd.Flags().Changed)
			if err != nil {
				return err
			}
			var info source.Info
			if cmd.Flags().Changed("data") || slices.Contains(nn.BuiltIns(), model) {
				s, err := (*workplace.Place)(nil).OpenData(cmd.Context(), "data", data, nil)
				if err != nil {
					return err
				}
				info = s.Info()
			}
			net, err := workplace.OpenWished(cmd.Context(), o, model, info, nil, wish)
			if err != nil {
				return err
			}
			o.Line("%s", strings.Trim(net.Summary(), "\n"))
			e := event{"model": model, "summary": net.Summary(), "parameters": net.NumParams(), "updaterState": net.NumStates(),
				"iteration": net.Iteration(), "epoch": net.Epoch(), "seed": net.Seed}
			if withProgram {
				executor := cpu.New(cpu.Options{Threads: threads, Kernels: kernels})
				defer executor.Close()
				net.SetExecutor(executor)
				text, err := net.Program(batch)
				if err != nil {
					return fmt.Errorf("--model %s: %w", model, err)
				}
				o.Line("\n%s", strings.TrimRight(text, "\n"))
				e["program"], e["batch"] = text, batch
			}
			return o.Done(e)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&model, "model", "", "`NAME` model zip, configuration or built-in network")
	fs.StringVar(&data, "data", "digits:train", "`SOURCE` data for an open network")
	fs.BoolVar(&withProgram, "program", false, "print the program of a training step")
	fs.IntVar(&batch, "batch", 64, "`N` minibatch size of the program")
	fs.IntVar(&threads, "threads", 0, "`N` threads of the program (default: the cores)")
	fs.StringVar(&kernelName, "kernel", "", "`NAME` portable, avx2, avx512 or neon (default: the best)")
	shape.add(fs)
	fs.BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}
