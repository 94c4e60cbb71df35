package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// platform is an operating system and a processor, by Go's names.
type platform struct{ system, arch string }

func (p platform) String() string { return p.system + "/" + p.arch }

// program is a command of the module.
type program struct {
	name, path string
	platforms  []platform // empty: all
}

// programs returns the programs of dl4go. The device process exists on the platforms of XLA's plugins.
func programs() []program {
	return []program{
		{name: "dl4go", path: "./cmd/dl4go"},
		{name: "dl4go-xla", path: "./cmd/dl4go-xla", platforms: []platform{{"linux", "amd64"}, {"linux", "arm64"}}},
	}
}

// target is a release's part for one platform.
type target struct {
	platform
	name     string // of the first program
	path     string // of the module
	version  string
	revision string
	time     time.Time // of the commit
	files    []file    // binaries first, the bill of materials last
	programs int       // how many of the files are binaries
	modules  []module
}

// file is a file of an archive or image.
type file struct {
	name string // with slashes
	data []byte
	mode int64
}

// clone clones the source at the commit, with its tags, from which Go derives versions.
func (s settings) clone(ctx context.Context, dir string) (string, error) {
	commit, err := git(ctx, s.source, "rev-parse", "--verify", s.commit+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("-commit %s: %w", s.commit, err)
	}
	source, err := filepath.Abs(s.source)
	if err != nil {
		return "", err
	}
	clone := filepath.Join(dir, "source")
	if _, err := git(ctx, ".", "clone", "--quiet", "--shared", "--no-checkout", source, clone); err != nil {
		return "", err
	}
	_, err = git(ctx, clone, "checkout", "--quiet", "--detach", commit)
	return clone, err
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := output(exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...))
	return strings.TrimSpace(string(out)), err
}

// output runs a command; an error includes what the command wrote to standard error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// build compiles the programs for a platform, and reads from them which modules they contain.
func (s settings) build(ctx context.Context, p platform) (b target, err error) {
	dir, err := os.MkdirTemp("", "dl4go-release-")
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b.platform = p
	var paths []string
	for _, of := range s.programs {
		if len(of.platforms) > 0 && !slices.Contains(of.platforms, p) {
			continue
		}
		info, data, err := s.compile(ctx, p, of, dir)
		if err != nil {
			return b, err
		}
		if b.programs == 0 {
			if err := b.describe(info); err != nil {
				return b, err
			}
			b.name = of.name
		}
		b.add(info)
		b.files = append(b.files, file{name: filepath.Base(p.binary(of.name)), data: data, mode: 0o755})
		b.programs++
		paths = append(paths, of.path)
	}
	return b, s.describeFiles(ctx, &b, paths)
}

// describeFiles adds the texts that go with the binaries.
func (s settings) describeFiles(ctx context.Context, b *target, paths []string) error {
	for _, name := range []string{"LICENSE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(s.source, name))
		if err != nil {
			return err
		}
		b.files = append(b.files, file{name: name, data: data, mode: 0o644})
	}
	texts, err := s.licences(ctx, b, paths)
	if err != nil {
		return err
	}
	b.files = append(b.files, texts...)
	bom, err := b.bom()
	if err != nil {
		return err
	}
	b.files = append(b.files, file{name: bomName, data: bom, mode: 0o644})
	return nil
}

func (p platform) binary(name string) string {
	if p.system == "windows" {
		name += ".exe"
	}
	return name
}

// compile runs go build, independent of the machine's settings and paths.
func (s settings) compile(ctx context.Context, p platform, of program, dir string) (*debug.BuildInfo, []byte, error) {
	path := filepath.Join(dir, p.binary(of.name))
	if _, err := s.goTool(ctx, p, "build", "-trimpath", "-buildvcs=true", "-mod=readonly", "-tags=grpcnotrace",
		"-ldflags=-s -w -buildid=", "-o", path, of.path); err != nil {
		return nil, nil, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(path)
	return info, data, err
}

// goTool runs the go command for a platform. All settings that change the result have a fixed value.
func (s settings) goTool(ctx context.Context, p platform, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = s.source
	cmd.Env = append(os.Environ(), "GOOS="+p.system, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOWORK=off",
		"GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off")
	return output(cmd)
}

// describe takes over the version and the commit's time, which Go read from the repository.
func (b *target) describe(info *debug.BuildInfo) (err error) {
	of := map[string]string{}
	for _, s := range info.Settings {
		of[s.Key] = s.Value
	}
	b.path, b.version, b.revision = info.Main.Path, strings.TrimPrefix(info.Main.Version, "v"), of["vcs.revision"]
	switch {
	case b.revision == "":
		return errors.New("go build noted no commit, which a release takes its version and time from; is git installed?")
	case of["vcs.modified"] == "true":
		return errors.New("the build has changed files of the repository; it must not")
	}
	b.time, err = time.Parse(time.RFC3339, of["vcs.time"])
	return err
}

// add adds the modules of a binary.
func (b *target) add(info *debug.BuildInfo) {
	std := module{path: "std", version: strings.TrimPrefix(info.GoVersion, "go")}
	deps := []module{std}
	for _, d := range info.Deps {
		deps = append(deps, module{path: d.Path, version: d.Version, sum: d.Sum})
	}
	for _, d := range deps {
		if !slices.ContainsFunc(b.modules, func(m module) bool { return m.path == d.path }) {
			b.modules = append(b.modules, d)
		}
	}
}
