// Command open opens and evaluates models written by Deeplearning4j or dl4go. Arguments: TEST.csv MODEL.zip…
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/tensor"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: open TEST.csv MODEL.zip…")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, testFile string, models []string) error {
	test, err := source.OpenCSV(ctx, testFile, source.CSV{Classes: 10})
	if err != nil {
		return err
	}
	for _, file := range models {
		net, err := nn.Load(context.Background(), file)
		if err != nil {
			return err
		}
		defer net.Close()
		result := eval.NewEvaluation(10)
		err = net.EachOutput(source.Batches(test, 64), func(m *data.MultiDataSet, outputs []*tensor.Dense) error {
			return result.Eval(m.Labels[0], outputs[0], nil)
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "accuracy", result.Accuracy())
	}
	return nil
}
