package deploy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// buildTime bounds a build, which may have to compile the standard library for a new platform.
const buildTime = 30 * time.Minute

// crossBuild builds this program for a platform, or finds an earlier build.
func crossBuild(ctx context.Context, build string, p Platform, log *slog.Logger) (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("it has no build information")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dirs := []string{"."}
	if self, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(self))
	}
	return (&builder{info: info, build: build, dirs: dirs, cache: filepath.Join(cache, "dl4go", "workers"),
		log: log}).program(ctx, p)
}

// builder builds a program for other platforms.
type builder struct {
	info  *debug.BuildInfo
	build string   // the hash of the program's file
	dirs  []string // perhaps in the program's module
	cache string
	log   *slog.Logger
}

// program returns the program's file for a platform. It only builds if the source reproduces this very program for this
// machine: a worker of another version would give other results, or none.
func (b *builder) program(ctx context.Context, p Platform) (string, error) {
	path := filepath.Join(b.cache, fmt.Sprintf("%s-%s-%s", b.build, p.OS, p.Arch))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if strings.HasSuffix(b.info.Path, ".test") {
		return "", errors.New("it is a test's program, which is not built for others")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, buildTime, fmt.Errorf("go build took longer than %v", buildTime))
	defer cancel()
	source, err := b.source(ctx)
	if err != nil {
		return "", err
	}
	b.log.Warn("building this program for executors of another kind; the file is kept for the next time",
		"platform", p, "in", b.cache)
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(b.cache, building)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := source.reproduces(ctx, b.build, filepath.Join(dir, "native")); err != nil {
		return "", err
	}
	made := filepath.Join(dir, "made")
	if err := source.compile(ctx, append(p.environment(), "CGO_ENABLED=0"), made); err != nil {
		return "", err
	}
	if err := syncFile(made); err != nil {
		return "", err
	}
	if err := os.Rename(made, path); err != nil {
		return "", err
	}
	prune(b.cache, time.Now())
	return path, nil
}

// syncFile makes sure that a file is complete on disk before it gets its name.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// source is the location of a program's source, and its build settings.
type source struct {
	dir, path string // a directory of the module; the main package
	flags     []string
	native    []string // environment of the build for this machine
}

// source looks for the program's module.
func (b *builder) source(ctx context.Context) (*source, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("there is no Go toolchain (go) on the PATH to build it with")
	}
	s := &source{path: b.info.Path}
	vcs := false
	for _, set := range b.info.Settings {
		switch set.Key {
		case "-tags", "-ldflags", "-gcflags", "-asmflags", "-trimpath":
			s.flags = append(s.flags, set.Key+"="+set.Value)
		case "vcs.revision":
			vcs = true
		default:
			if strings.HasPrefix(set.Key, "GO") || strings.HasPrefix(set.Key, "CGO_") { // GOOS, GOAMD64, CGO_ENABLED …
				s.native = append(s.native, set.Key+"="+set.Value)
			}
		}
	}
	s.flags = append(s.flags, fmt.Sprintf("-buildvcs=%t", vcs))
	for _, s.dir = range b.dirs {
		if found, err := s.run(ctx, nil, "list", "-f", "{{.Dir}}", s.path); err == nil && found != "" {
			version, err := s.run(ctx, nil, "env", "GOVERSION")
			if err == nil && version != b.info.GoVersion {
				err = fmt.Errorf("it was built by %s, and the toolchain here is %s", b.info.GoVersion, version)
			}
			return s, err
		}
	}
	return nil, fmt.Errorf("its source, package %s, is in no module around the working directory or the program's file",
		s.path)
}

// compile builds the program.
func (s *source) compile(ctx context.Context, environment []string, out string) error {
	_, err := s.run(ctx, environment, slices.Concat([]string{"build", "-o", out}, s.flags, []string{s.path})...)
	return err
}

// environment selects a platform.
func (p Platform) environment() []string { return []string{"GOOS=" + p.OS, "GOARCH=" + p.Arch} }

func (p Platform) file() string { return "worker-" + p.OS + "-" + p.Arch }

// command returns the command that builds the program for a platform, in its source directory.
func (p Platform) command() string {
	path := "."
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" && !strings.HasSuffix(info.Path, ".test") {
		path = info.Path
	}
	return fmt.Sprintf("CGO_ENABLED=0 GOOS=%s GOARCH=%s go build -o %s %s", p.OS, p.Arch, p.file(), path)
}

// run runs the go command, and returns its output.
func (s *source) run(ctx context.Context, environment []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.dir, append(os.Environ(), environment...), time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		said := strings.TrimSpace(errs.String())
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, said[max(0, len(said)-500):])
	}
	return strings.TrimSpace(out.String()), nil
}

// reproduces fails unless the source gives this program: by go build or, as that links differently, by go run.
func (s *source) reproduces(ctx context.Context, build, out string) error {
	if err := s.compile(ctx, s.native, out); err != nil {
		return err
	}
	same, err := hasHash(out, build)
	if same || err != nil {
		return err
	}
	if cp, err := exec.LookPath("cp"); err == nil {
		args := slices.Concat([]string{"run", "-exec", cp}, s.flags, []string{s.path, out})
		if _, err := s.run(ctx, s.native, args...); err == nil {
			if same, err := hasHash(out, build); same || err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("the source of %s does not give this program, bit for bit: it was changed, or built with other "+
		"flags", s.path)
}

func hasHash(path, want string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return false, err
	}
	return hex.EncodeToString(h.Sum(nil)) == want, nil
}

// kept is the maximum number of programs in the cache.
const kept = 8

// building begins the names of build directories.
const building = ".build-"

// prune removes the oldest programs of the cache, and the directories of killed builds.
func prune(cache string, now time.Time) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	type file struct {
		name string
		at   time.Time
	}
	var files []file
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil:
		case info.Mode().IsRegular():
			files = append(files, file{e.Name(), info.ModTime()})
		case strings.HasPrefix(e.Name(), building) && now.Sub(info.ModTime()) > 2*buildTime:
			os.RemoveAll(filepath.Join(cache, e.Name()))
		}
	}
	slices.SortFunc(files, func(a, b file) int { return b.at.Compare(a.at) })
	for _, f := range files[min(kept, len(files)):] {
		os.Remove(filepath.Join(cache, f.name))
	}
}
