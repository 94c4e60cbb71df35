package distributed

import (
	"errors"
	"log/slog"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/serve"
)

// HostKernels returns the instruction set for computations on the processor, given Options.Kernels. It is kernels
// itself, unless that names a device. Then it is the device's setting of host kernels or, without one, the best
// instruction set of this processor.
func HostKernels(kernels string) string {
	if !xla.IsDevice(kernels) {
		return cpu.InstructionSet(kernels)
	}
	if c, err := xla.ParseChoice(kernels); err == nil && c.Host != "" {
		return c.Host
	}
	return kernel.Best().String()
}

// NewExecutor makes the executor that [Options].Kernels names: threads of this process with an instruction set, or a
// device. Of several GPUs, it takes the one that the fewest other workers of this machine use. If there is no device
// and Kernels names host kernels, it makes threads with these, and log gets a warning.
func NewExecutor(kernels string, threads int, log *slog.Logger) (serve.Executor, error) {
	if xla.IsDevice(kernels) {
		e, err := openDevice(kernels)
		if none := (*xla.NoDeviceError)(nil); err == nil || !errors.As(err, &none) {
			return e, err
		}
		c, _ := xla.ParseChoice(kernels)
		if c.Host == "" {
			return nil, err
		}
		log.Warn("this worker has no GPU: it computes on the processor, which is slower",
			"reason", err)
		kernels = c.Host
	}
	k, err := parseKernels(kernels)
	if err != nil {
		return nil, err
	}
	return cpu.New(cpu.Options{Threads: threads, Kernels: k}), nil
}

// openDevice starts a device. Its errors are permanent: another attempt would not help.
func openDevice(kernels string) (serve.Executor, error) {
	c, err := xla.ParseChoice(kernels)
	if err != nil {
		return nil, engine.Permanent(err)
	}
	e, err := c.Open()
	if err != nil {
		return nil, engine.Permanent(err)
	}
	return e, nil
}
