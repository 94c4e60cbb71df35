package xla

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/xla/plugin"
)

// IsDevice says whether a name is one of a device: "gpu", "gpu:N" for the one with that number, "xla-cpu".
func IsDevice(name string) bool { return CheckName(name) == nil }

// CheckName says which names of devices there are, if this is none.
func CheckName(name string) error {
	_, _, err := parse(name)
	return err
}

// ForWorker is the device of a worker with a number from 0: "gpu" is one of all GPUs.
func ForWorker(name string, worker int) string {
	if name != "gpu" {
		return name
	}
	all, err := filepath.Glob("/proc/driver/nvidia/gpus/*")
	if err != nil || len(all) < 2 {
		return name
	}
	return fmt.Sprintf("gpu:%d", worker%len(all))
}

// Auto is "gpu" where the machine has a driver and a plugin for it, and "" elsewhere.
func Auto() string {
	if _, err := os.Stat(driver); err != nil {
		return ""
	}
	for _, kind := range []string{"cuda13", "cuda12"} {
		if _, err := plugin.Find(kind); err == nil {
			return "gpu"
		}
	}
	return ""
}

// parse gives the kinds of plugins that a device may have, and the number of a GPU, or -1.
func parse(name string) (kinds []string, number int, err error) {
	base, index, numbered := strings.Cut(name, ":")
	number = -1
	if numbered {
		if number, err = strconv.Atoi(index); err != nil || number < 0 {
			base = ""
		}
	}
	switch {
	case base == "gpu":
		return []string{"cuda13", "cuda12"}, number, nil
	case name == "xla-cpu":
		return []string{"cpu"}, number, nil
	}
	return nil, 0, fmt.Errorf("there is no device %q; there are gpu, gpu:N for the one with that number, and xla-cpu",
		name)
}

// driver is there where the kernel has NVIDIA's driver.
const driver = "/proc/driver/nvidia/version"

// About starts the device of a plugin's kind, to describe it.
func About(kind string) (Device, error) {
	name := "gpu"
	if kind == "cpu" {
		name = "xla-cpu"
	}
	e, err := open(name, []string{kind}, -1)
	if err != nil {
		return Device{}, err
	}
	defer e.Close()
	d := e.Device()
	d.Name = name
	return d, nil
}

// Open starts an executor on a device of that name, by a plugin that dl4go device install has installed. The program
// dl4go-xla is looked for beside this one and in the PATH; the environment variable DL4GO_XLA names another.
func Open(name string) (*Executor, error) {
	kinds, number, err := parse(name)
	if err != nil {
		return nil, err
	}
	return open(name, kinds, number)
}

// Check looks for what a device needs, without starting it: the program dl4go-xla, an installed plugin, a driver.
func Check(name string) error {
	kinds, number, err := parse(name)
	if err == nil {
		_, _, err = look(name, kinds, number)
	}
	return err
}

func open(name string, kinds []string, number int) (*Executor, error) {
	o, kind, err := look(name, kinds, number)
	if err != nil {
		return nil, err
	}
	e, err := New(o)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", name, withPackage(kind, err))
	}
	return e, nil
}

// look finds what a device is opened with, and the kind of its plugin.
func look(name string, kinds []string, number int) (o Options, kind string, err error) {
	if o.Program, err = deviceProgram(); err != nil {
		return o, "", fmt.Errorf("device %s: %w", name, err)
	}
	var found plugin.Installed
	var missing error
	for _, kind := range kinds {
		if found, err = plugin.Find(kind); err == nil {
			break
		}
		missing = errors.Join(missing, err)
	}
	if kinds[0] != "cpu" {
		if _, e := os.Stat(driver); e != nil {
			return o, "", fmt.Errorf("device %s: this machine has no NVIDIA driver (%s is not there); install it, or "+
				"leave --device out", name, driver)
		}
	}
	if err != nil {
		return o, "", fmt.Errorf("device %s: %w", name, missing)
	}
	o.Plugin, o.Env = found.Library, found.Env
	if number >= 0 {
		o.Env = append(o.Env, "CUDA_VISIBLE_DEVICES="+visible(number))
	}
	if cache, err := os.UserCacheDir(); err == nil {
		o.Cache = filepath.Join(cache, "dl4go", "compiled")
	}
	return o, found.Kind, nil
}

// visible is the GPU of a number among those that this process may use.
func visible(number int) string {
	if list := os.Getenv("CUDA_VISIBLE_DEVICES"); list != "" {
		if all := strings.Split(list, ","); number < len(all) {
			return strings.TrimSpace(all[number])
		}
	}
	return strconv.Itoa(number)
}

// withPackage adds the wheel of a shared library that an error misses.
func withPackage(kind string, err error) error {
	m := regexp.MustCompile(`(lib[A-Za-z0-9_]+\.so[.0-9]*): cannot open shared object`).FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	if p := plugin.Package(kind, m[1]); p != "" {
		return fmt.Errorf("%w; the package %s has it: run dl4go device install %s again", err, p, kind)
	}
	return err
}

// deviceProgram finds dl4go-xla.
func deviceProgram() (string, error) {
	const name = "dl4go-xla"
	if path := os.Getenv("DL4GO_XLA"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("DL4GO_XLA: %w", err)
		}
		return path, nil
	}
	if self, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(self), name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "",
			fmt.Errorf("the program %s is neither beside dl4go nor in the PATH; install it, or set DL4GO_XLA to its path",
				name)
	}
	return path, nil
}
