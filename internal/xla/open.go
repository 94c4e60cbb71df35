package xla

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/dl4go/dl4go/internal/xla/compiled"
	"github.com/dl4go/dl4go/internal/xla/plugin"
)

// About starts the device of a plugin's kind, to describe it.
func About(kind string) (Device, error) {
	c := Choice{Device: "gpu"}
	if kind == "cpu" {
		c.Device = "xla-cpu"
	}
	o, _, err := c.look([]string{kind})
	if err != nil {
		return Device{}, err
	}
	e, err := c.start(o, kind)
	if err != nil {
		return Device{}, err
	}
	defer e.Close()
	d := e.Device()
	d.Name = c.Device
	return d, nil
}

// Open starts an executor on a device, with a plugin installed by dl4go device install. It looks for the program
// dl4go-xla beside this program and in the PATH; the environment variable DL4GO_XLA names another one. If the machine
// has no GPU, the error wraps a [NoDeviceError].
func (c Choice) Open() (*Executor, error) {
	kinds, number, err := c.kinds()
	if err != nil {
		return nil, err
	}
	addresses, err := c.addresses(kinds, number)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", c.Device, err)
	}
	o, kind, err := c.look(kinds)
	if err != nil {
		return nil, err
	}
	at, held, err := claim(kinds[0], addresses)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", c.Device, err)
	}
	o.Claim, o.Name = held, c.Device
	if kind != "cpu" {
		o.Name = "GPU " + at
		o.Env = append(o.Env, "CUDA_VISIBLE_DEVICES="+at)
		if os.Getenv("CUDA_DEVICE_ORDER") == "" {
			o.Env = append(o.Env, "CUDA_DEVICE_ORDER=PCI_BUS_ID") // as Spark and the driver do
		}
	}
	e, err := c.start(o, kind)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return e, nil
}

// addresses returns the devices that a worker can choose from.
func (c Choice) addresses(kinds []string, number int) ([]string, error) {
	if kinds[0] == "cpu" {
		return []string{"0"}, nil
	}
	all, err := thisMachine().addresses()
	if err != nil || number < 0 {
		return all, err
	}
	if number >= len(all) {
		return nil, &NoDeviceError{fmt.Sprintf("there are %d GPUs, from gpu:0", len(all))}
	}
	return all[number : number+1], nil
}

// Devices returns the number of devices that the workers of this machine can choose from.
func (c Choice) Devices() (int, error) {
	kinds, number, err := c.kinds()
	if err != nil {
		return 0, err
	}
	all, err := c.addresses(kinds, number)
	return len(all), err
}

// Check checks that this machine has everything that the device needs, without starting it: the program dl4go-xla, an
// installed plugin, and a driver.
func (c Choice) Check() error {
	kinds, number, err := c.kinds()
	if err != nil {
		return err
	}
	if _, err := c.addresses(kinds, number); err != nil {
		return fmt.Errorf("device %s: %w", c.Device, err)
	}
	_, _, err = c.look(kinds)
	return err
}

func (c Choice) start(o Options, kind string) (*Executor, error) {
	e, err := New(o)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", c.Device, withPackage(kind, err))
	}
	return e, nil
}

// look finds the options for opening a device, and the kind of its plugin.
func (c Choice) look(kinds []string) (o Options, kind string, err error) {
	if o.Program, err = DeviceProgram(); err != nil {
		return o, "", fmt.Errorf("device %s: %w", c.Device, err)
	}
	if kinds, err = runnable(kinds); err != nil {
		return o, "", fmt.Errorf("device %s: %w", c.Device, err)
	}
	var found plugin.Installed
	var missing error
	for _, kind := range kinds {
		if found, err = plugin.Find(kind, c.Plugins); err == nil {
			break
		}
		missing = errors.Join(missing, err)
	}
	if err != nil {
		return o, "", fmt.Errorf("device %s: %w", c.Device, missing)
	}
	o.Plugin, o.Env, o.GPU = found.Library, found.Env, found.Kind != "cpu"
	o.Precision, o.Memory = c.Precision, c.Memory
	if o.Memory == (Limit{}) && c.Workers > 1 {
		o.Memory.Part = 0.9 / float64(c.Workers)
	}
	o.Cache = compiled.Default().Path
	return o, found.Kind, nil
}

// withPackage adds to an error about a missing shared library the name of its wheel.
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

// DeviceProgram finds dl4go-xla.
func DeviceProgram() (string, error) {
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
