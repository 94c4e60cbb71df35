package xla

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// NoDeviceError means that a machine, or an executor of Spark, has no GPU.
type NoDeviceError struct{ Reason string }

func (e *NoDeviceError) Error() string { return e.Reason }

// machine says where to look for GPUs: directories and files of this machine, or of a test.
type machine struct {
	driver  string // exists if the kernel has NVIDIA's driver
	gpus    string // has a directory for each GPU
	parent  string // command line of the parent process
	visible string // CUDA_VISIBLE_DEVICES
}

func thisMachine() machine {
	return machine{driver: driver, gpus: "/proc/driver/nvidia/gpus", visible: os.Getenv("CUDA_VISIBLE_DEVICES"),
		parent: fmt.Sprintf("/proc/%d/cmdline", os.Getppid())}
}

// driver exists if the kernel has NVIDIA's driver.
const driver = "/proc/driver/nvidia/version"

// addresses returns the GPUs that this process may use, in the form of CUDA_VISIBLE_DEVICES: those that Spark assigned
// to its executor, or else those of that variable, or else all.
func (m machine) addresses() ([]string, error) {
	if _, err := os.Stat(m.driver); err != nil {
		return nil, &NoDeviceError{fmt.Sprintf("this machine has no NVIDIA driver (%s is not there); install it, or leave "+
			"--device out", m.driver)}
	}
	if list, known, err := m.bySpark(); err != nil || known {
		return list, err
	}
	if m.visible != "" {
		var list []string
		for a := range strings.SplitSeq(m.visible, ",") {
			list = append(list, strings.TrimSpace(a))
		}
		return list, nil
	}
	all, err := os.ReadDir(m.gpus)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err == nil && len(all) == 0 {
		return nil, &NoDeviceError{"NVIDIA's driver finds no GPU on this machine; in a container, give it one"}
	}
	list := []string{"0"}
	for i := 1; i < len(all); i++ {
		list = append(list, strconv.Itoa(i))
	}
	return list, nil
}

// bySpark reads the file that a standalone worker of Spark passes to its executors. On YARN and Kubernetes there is no
// such file: the executor's container has no other GPUs there.
func (m machine) bySpark() (list []string, known bool, err error) {
	line, err := os.ReadFile(m.parent)
	if err != nil {
		return nil, false, nil // the parent has ended, and so will this process
	}
	args := strings.Split(string(bytes.TrimRight(line, "\x00")), "\x00")
	i := slices.Index(args, "--resourcesFile")
	if i < 0 || i+1 >= len(args) {
		return nil, false, nil
	}
	text, err := os.ReadFile(args[i+1])
	if err != nil {
		return nil, false, fmt.Errorf("the resources of Spark's executor: %w", err)
	}
	var all []struct {
		ID struct {
			Name string `json:"resourceName"`
		} `json:"id"`
		Addresses []string `json:"addresses"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, false, fmt.Errorf("the resources of Spark's executor: %s: %w", filepath.Base(args[i+1]), err)
	}
	for _, r := range all {
		if r.ID.Name == "gpu" {
			list = append(list, r.Addresses...)
		}
	}
	if len(list) == 0 {
		return nil, true, &NoDeviceError{"Spark has assigned no GPU to this executor: set " +
			"spark.executor.resource.gpu.amount"}
	}
	return list, true, nil
}
