// Command echo gives the lines of its standard input back: the least that a worker in a TRANSFORM can be.
package main

import (
	"io"
	"os"
)

func main() {
	if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
		os.Exit(1)
	}
}
