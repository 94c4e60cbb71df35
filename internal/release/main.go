// Command release builds the archives and the container image of a release. The same commit gives the same bytes, on
// any machine and in any directory: everything variable is taken from the commit, which Go writes into each binary.
//
//	go run ./internal/release -out bin/release
//
// For each platform it writes an archive with the binaries, their licences and a bill of materials (CycloneDX), then
// the image as an OCI layout in a tar file, and finally SHA256SUMS.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// sums is the name of the list of checksums. A directory without it is not a release, and is left alone.
const sums = "SHA256SUMS"

// settings are the source, the commit and the platforms of a release.
type settings struct {
	source, out string
	platforms   []platform
	programs    []program
	commit      string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := settings{programs: programs()}
	names := flag.String("platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64",
		"comma-separated `OS/ARCH`; the image has those of linux")
	flag.StringVar(&s.source, "source", ".", "`DIR` of the module")
	flag.StringVar(&s.out, "out", "bin/release", "`DIR` to write; a release that is there is replaced")
	flag.StringVar(&s.commit, "commit", "HEAD", "`COMMIT`, tag or branch to release")
	flag.Parse()
	err := errors.New("arguments are not taken: see -help")
	if flag.NArg() == 0 {
		if s.platforms, err = parsePlatforms(*names); err == nil {
			err = release(ctx, s)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes a whole release, or leaves s.out as it was. It builds in a clone, so that nothing uncommitted is
// included, and because Go finds no commit in a Git worktree.
func release(ctx context.Context, s settings) (err error) {
	if err := ours(s.out); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.out), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(s.out), ".release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if s.source, err = s.clone(ctx, dir); err != nil {
		return err
	}
	var built []target
	for _, p := range s.platforms {
		b, err := s.build(ctx, p)
		if err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
		if err := b.write(dir); err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
		built = append(built, b)
	}
	if err := writeImage(dir, built); err != nil {
		return fmt.Errorf("the image: %w", err)
	}
	if err := os.RemoveAll(s.source); err != nil {
		return err
	}
	if err := writeSums(dir); err != nil {
		return err
	}
	if err := os.RemoveAll(s.out); err != nil {
		return err
	}
	return errors.Join(os.Chmod(dir, 0o755), os.Rename(dir, s.out))
}

// ours refuses a directory that is not a release.
func ours(dir string) error {
	files, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(files) == 0 {
		return nil
	} else if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, sums)); err != nil {
		return fmt.Errorf("-out %s is not a release, and would be replaced; name another directory", dir)
	}
	return nil
}

// writeSums writes the SHA-256 of each file in dir, in the format of sha256sum.
func writeSums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, f := range files { // by name
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	return os.WriteFile(filepath.Join(dir, sums), []byte(lines.String()), 0o644)
}

// parsePlatforms reads a list OS/ARCH,…
func parsePlatforms(names string) (all []platform, err error) {
	for name := range strings.SplitSeq(names, ",") {
		system, arch, ok := strings.Cut(strings.TrimSpace(name), "/")
		if !ok || system == "" || arch == "" || strings.ContainsAny(arch, "/\\") {
			return nil, fmt.Errorf("-platforms %q: wanted OS/ARCH, such as linux/amd64", name)
		}
		p := platform{system, arch}
		if slices.Contains(all, p) {
			return nil, fmt.Errorf("-platforms: %v is there twice; leave one out", p)
		}
		all = append(all, p)
	}
	return all, nil
}
