package xla

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/cpu"
)

// Flags are the settings of devices on a command line. The zero value means the processor.
type Flags struct {
	Device    string // a device, auto or cpu; "" means that the environment decides
	Precision string
	Memory    string
	Plugins   string
	Workers   int
	// Remote means that workers run on other machines. Workers without a GPU compute with the instruction set Host.
	Remote bool
	Host   cpu.Kernels
}

// Choice returns the device of the flags. onDevice is false if networks run on the processor. Then the choice has Host
// alone: the kernels, with the precision of their products.
func (f Flags) Choice() (c Choice, onDevice bool, err error) {
	if f.Device == "" {
		if f.Device, err = preferred(os.Getenv); err != nil {
			return c, false, err
		}
	}
	name := f.Device
	if name == "auto" {
		if name = Auto(); f.Remote {
			name = "gpu"
		}
	}
	if f.Precision != "" {
		if c.Precision, err = ParsePrecision(f.Precision); err != nil {
			return c, false, fmt.Errorf("--precision: %w", err)
		}
	}
	if name == "" || name == "cpu" {
		c.Host, err = f.processor(c.Precision)
		return Choice{Host: c.Host}, false, err
	}
	c = Choice{Device: name, Precision: c.Precision, Plugins: f.Plugins, Workers: f.Workers}
	if _, _, err := c.kinds(); err != nil {
		return c, false, fmt.Errorf("--device: %w, cpu and auto", err)
	}
	if f.Memory != "" {
		if c.Memory, err = ParseLimit(f.Memory); err != nil {
			return c, false, fmt.Errorf("--device-memory: %w", err)
		}
	}
	if c.Memory.Part > 0 && c.Device == "xla-cpu" {
		return c, false, fmt.Errorf("--device-memory %s: xla-cpu has no memory of its own; write an amount, such as 4GiB",
			f.Memory)
	}
	if f.Workers < 0 {
		return c, false, fmt.Errorf("--workers-per-device %d: it is 1 or more", f.Workers)
	}
	if f.Remote && c.Device != "xla-cpu" {
		c.Host = f.Host.String()
	}
	return c, true, nil
}

// preferred returns the device selected by the priorities of Deeplearning4j's backends: auto if the GPU's priority is
// set and higher, and cpu otherwise.
func preferred(getenv func(string) string) (string, error) {
	var priorities [2]int
	names := [2]string{"BACKEND_PRIORITY_CPU", "BACKEND_PRIORITY_GPU"}
	for i, name := range names {
		text := getenv(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return "", fmt.Errorf("%s=%s is not a whole number: correct it, or give --device", name, text)
		}
		priorities[i] = n
	}
	if getenv(names[1]) != "" && priorities[1] > priorities[0] {
		return "auto", nil
	}
	return "cpu", nil
}

// processor returns the kernels of the processor for a precision. With auto, a setting that only devices have is no
// error, since the same command line may find a device on another machine.
func (f Flags) processor(p Precision) (string, error) {
	auto := f.Device == "auto"
	for name, given := range map[string]bool{"precision tf32": p == TF32, "device-memory": f.Memory != "",
		"device-plugins": f.Plugins != "", "workers-per-device": f.Workers != 0} {
		if given && !auto {
			return "", fmt.Errorf("--%s is about devices: it has no effect with --device cpu", name)
		}
	}
	if p != BF16 {
		return f.Host.String(), nil
	}
	k, err := f.Host.WithBF16()
	switch {
	case err == nil:
		return k.String(), nil
	case auto:
		return f.Host.String(), nil
	}
	return "", fmt.Errorf("--precision bf16: %w", err)
}

// Files lists the files that workers on other machines need besides their own program: the device process, if this
// machine has it.
func Files() []string {
	path, err := DeviceProgram()
	if err != nil {
		return nil // the workers' machines may have it
	}
	return []string{path}
}

// Spread completes the master string of an engine of this machine whose workers each use a device: * becomes the
// number of workers that may share the devices. It fails if N workers are more than that.
func (c Choice) Spread(master string) (string, error) {
	kind, n, ok := strings.Cut(strings.TrimSuffix(master, "]"), "[")
	if !ok || kind != "local" && kind != "processes" {
		return master, nil
	}
	devices, err := c.Devices()
	if err != nil {
		return "", fmt.Errorf("device %s: %w", c.Device, err)
	}
	places := devices * max(1, c.Workers)
	if n == "*" {
		return fmt.Sprintf("%s[%d]", kind, places), nil
	}
	if workers, err := strconv.Atoi(n); err == nil && c.Workers > 0 && workers > places {
		return "", fmt.Errorf("--master %s: with --workers-per-device %d, there is room for %d workers on this machine; use "+
			"%s[%d], or raise it", master, c.Workers, places, kind, places)
	}
	return master, nil
}

// Auto returns "gpu" if the machine has a driver and a plugin for it, and "" otherwise.
func Auto() string {
	if _, err := os.Stat(driver); err != nil {
		return ""
	}
	if _, _, err := (Choice{}).look([]string{"cuda13", "cuda12"}); err != nil {
		return ""
	}
	return "gpu"
}
