package main

import (
	"log/slog"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
)

// device is where training steps run: on the processor, if it has no name.
type device struct {
	name      string
	modules   string // a directory for the StableHLO modules of steps; "" for none
	processes []int  // of the devices in use
}

// trainee is a network.
type trainee interface {
	SetExecutor(program.Executor)
	Fit(*data.MultiDataSet, nn.Key) (float64, error)
}

// place moves the network of a work to the device.
func (d *device) place(work string, net trainee) error {
	if d.name == "" {
		return nil
	}
	e, err := distributed.NewExecutor(d.name, 0, slog.Default())
	if err != nil {
		return err
	}
	if x, ok := e.(*xla.Executor); ok {
		d.processes = append(d.processes, x.Process())
		net.SetExecutor(&recorder{x, filepath.Join(d.modules, work+".mlir"), d.modules != ""})
		return nil
	}
	net.SetExecutor(e)
	return nil
}

// processorTime returns the processor time of this process and of the devices' processes.
func (d *device) processorTime() float64 {
	sum := processorTime(os.Getpid())
	for _, id := range d.processes {
		sum += processorTime(id)
	}
	return sum
}

// recorder is a device that writes the modules of the steps that it compiles.
type recorder struct {
	*xla.Executor
	file   string
	writes bool
}

func (r *recorder) CompileStep(programs ...*program.Program) (program.Executable, error) {
	x, err := r.Executor.CompileStep(programs...)
	if err != nil || !r.writes {
		return x, err
	}
	f, err := os.Create(r.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return x, x.Dump(f)
}
