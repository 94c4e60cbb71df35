//go:build !linux || !(amd64 || arm64)

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "dl4go-xla needs Linux on amd64 or arm64, as XLA's plugins do")
	os.Exit(1)
}
