// Package plugin installs XLA's device plugins from Python wheels, and finds installed ones.
package plugin

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed wheels.txt
var wheelsText string

// Wheel is a Python wheel, which is a zip file.
type Wheel struct {
	Project string // on the package index
	File    string
	SHA256  string // in hexadecimal
}

// Kinds lists the plugins that can be installed, the preferred one for GPUs first.
func Kinds() []string { return []string{"cuda13", "cuda12", "cpu"} }

// library returns the path of a kind's plugin within its directory.
func library(kind string) string {
	if kind == "cpu" {
		return filepath.Join("xla_plugins", "xla_cpu_pjrt", "xla_cpu_pjrt.so")
	}
	return filepath.Join("jax_plugins", "xla_"+kind, "xla_cuda_plugin.so")
}

// Wheels lists the files of a plugin. Their hashes are part of this program.
func Wheels(kind string) (list []Wheel) {
	for line := range strings.Lines(wheelsText) {
		if f := strings.Fields(line); len(f) == 4 && f[0] == kind {
			list = append(list, Wheel{f[1], f[2], f[3]})
		}
	}
	return list
}

// Dir returns the directory of installed plugins: DL4GO_DEVICES, or one in the user's cache.
func Dir() (string, error) {
	if dir := os.Getenv("DL4GO_DEVICES"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no directory for plugins: %w; set DL4GO_DEVICES", err)
	}
	return filepath.Join(cache, "dl4go", "devices"), nil
}

// Installed is a plugin on this machine.
type Installed struct {
	Kind    string
	Library string   // its path
	Env     []string // environment variables that its libraries need
}

// Find returns the plugin of a kind below a directory, or an error that says how to install it. An empty dir means the
// directory of Dir.
func Find(kind, dir string) (p Installed, err error) {
	if dir == "" {
		if dir, err = Dir(); err != nil {
			return p, err
		}
	}
	p = Installed{Kind: kind, Library: filepath.Join(dir, kind, library(kind))}
	if _, err := os.Stat(p.Library); err != nil {
		return p, fmt.Errorf("the plugin %s is not installed in %s; run dl4go device install %s", kind, dir, kind)
	}
	if err := complete(kind, filepath.Join(dir, kind)); err != nil {
		return p, err
	}
	if kind == "cpu" {
		return p, nil
	}
	root := filepath.Join(dir, kind, "nvidia")
	libraries, err := filepath.Glob(filepath.Join(root, "*", "lib"))
	if err != nil {
		return p, err
	}
	slices.Sort(libraries)
	p.Env = []string{"LD_LIBRARY_PATH=" + strings.Join(append(libraries, os.Getenv("LD_LIBRARY_PATH")), ":")}
	for _, tools := range []string{"cuda_nvcc", "cu13"} {
		if _, err := os.Stat(filepath.Join(root, tools)); err == nil {
			p.Env = append(p.Env, "XLA_FLAGS="+strings.TrimSpace(os.Getenv("XLA_FLAGS")+" --xla_gpu_cuda_data_dir="+
				filepath.Join(root, tools)))
			break
		}
	}
	return p, nil
}

// Package returns the wheel with a shared library of CUDA, such as libcudnn.so.9; "" if none is known.
func Package(kind, lib string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(lib, "lib"), ".")
	name = strings.ToLower(name)
	for _, w := range Wheels(kind) {
		if part := strings.TrimPrefix(w.Project, "nvidia-"); part != w.Project {
			part = strings.TrimSuffix(strings.TrimPrefix(part, "cuda-"), "-cu"+strings.TrimPrefix(kind, "cuda"))
			if part == name || strings.HasPrefix(name, part) || name == "cudart" && part == "runtime" {
				return w.Project
			}
		}
	}
	return ""
}
