// Platforms checks packages for other platforms, as Go's compiler does before it generates code: syntax, types,
// constants, imports, and functions without a body. Building the packages takes many times as long.
//
//	go run ./internal/platforms linux/arm64,windows/amd64 ./...
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return errors.New("wanted platforms and packages: linux/arm64,windows/amd64 ./cmd/dl4go, say")
	}
	var all error
	for _, p := range strings.Split(args[0], ",") {
		system, arch, ok := strings.Cut(p, "/")
		if !ok {
			return fmt.Errorf("%s is not a platform, such as linux/arm64", p)
		}
		n, err := check(ctx, ".", system, arch, args[1:])
		if err != nil {
			all = errors.Join(all, fmt.Errorf("on %s:\n%w", p, err))
			continue
		}
		fmt.Printf("%s: %d packages are right\n", p, n)
	}
	return all
}
