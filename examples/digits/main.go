// Command digits trains a network to read handwritten digits, with two workers and parameter averaging. It says how
// well the network reads digits that it has not seen, and saves it.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/dl4go/dl4go"
)

func main() {
	dl4go.Main() // first: with processes[2] or on Spark, this program is its own worker
	if err := run(context.Background(), os.Stdout, "digits.zip"); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, path string) error {
	e, err := dl4go.Open(ctx, "local[2]") // or processes[2], or sc://spark.example.com:15002
	if err != nil {
		return err
	}
	defer e.Close()
	digits, err := dl4go.Read(ctx, "digits:train") // or csv:FILE?label=COLUMN, and others
	if err != nil {
		return err
	}
	heldOut, err := dl4go.Read(ctx, "digits:test")
	if err != nil {
		return err
	}
	model, err := dl4go.On(ctx, e, dl4go.Averaging{}, dl4go.Config{
		Network: dl4go.Named("lenet"), Data: digits, HeldOut: heldOut, Epochs: 20, Patience: 5})
	if err != nil {
		return err
	}
	defer model.Close()
	result, err := model.Evaluate(ctx, heldOut)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "read %.1f %% of the held-out digits\n", 100*result.Accuracy())
	return model.Save(ctx, path) // Deeplearning4j opens it
}
