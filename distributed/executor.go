package distributed

import (
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/program/cpu"
	"github.com/dl4go/dl4go/serve"
)

// HostKernels is the instruction set of what runs beside the networks: that of the networks themselves, or this
// processor's best one where Options.Kernels names a device.
func HostKernels(kernels string) string {
	if xla.IsDevice(kernels) {
		return kernel.Best().String()
	}
	return kernels
}

// NewExecutor makes the executor that Options.Kernels names: threads of this process with an instruction set, or a
// device. On a machine with several GPUs, workers of the device "gpu" take turns at them by their number.
func NewExecutor(kernels string, threads, worker int) (serve.Executor, error) {
	if xla.IsDevice(kernels) {
		e, err := xla.Open(xla.ForWorker(kernels, worker))
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	k, err := parseKernels(kernels)
	if err != nil {
		return nil, err
	}
	return cpu.New(cpu.Options{Threads: threads, Kernels: k}), nil
}
