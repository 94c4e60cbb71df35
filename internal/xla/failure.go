package xla

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/xla/client"
)

// DeviceError means that a device failed twice at the same place: once, and again with a new device process.
type DeviceError struct {
	Device string // its name and model
	Remedy string
	Cause  error
}

func (e *DeviceError) Error() string {
	return fmt.Sprintf("xla: %s failed, and failed again at the same place with a new device process: %v; %s", e.Device,
		e.Cause, e.Remedy)
}

// Unwrap returns the cause.
func (e *DeviceError) Unwrap() error { return e.Cause }

// died reports whether an error means that the device process is gone.
func died(err error) bool {
	var d *client.Died
	return errors.As(err, &d)
}

// failed reports whether an error means that the device failed.
func failed(err error) bool {
	var r *client.Refused
	return errors.As(err, &r) && r.Lost
}

// twice runs f, and repeats it on a new device process if the device or the first process failed.
func (e *Executor) twice(f func() error) error {
	if err := e.ended(); err != nil {
		return err
	}
	err := f()
	if !died(err) && !failed(err) {
		return err
	}
	if again := e.restart(); again != nil {
		e.gone = e.lost(err, again)
		return e.gone
	}
	again := f()
	switch {
	case died(again):
		return fmt.Errorf("xla: %w; a second one ended, too, at the same place", again)
	case failed(again):
		return &DeviceError{e.about(), e.remedy(), again}
	}
	return again
}

// lost is the error that a device failed, and that no new process can open it.
func (e *Executor) lost(err, again error) error {
	if died(err) {
		return fmt.Errorf("xla: %w, and no other could be started: %w", err, again)
	}
	return &DeviceError{e.about(), e.remedy(), errors.Join(err, again)}
}

// about is the device's name and model.
func (e *Executor) about() string {
	if e.options.Name == "" {
		return e.device.Kind
	}
	return fmt.Sprintf("%s (%s)", e.options.Name, e.device.Kind)
}

// remedy says what a user can do about a device that fails.
func (e *Executor) remedy() string {
	if !e.options.GPU {
		return "resume from the last checkpoint with --device cpu"
	}
	return "if nvidia-smi does not list the GPU, or dmesg has Xid errors, reset the GPU or restart the machine; until " +
		"then, resume from the last checkpoint with another --device, such as gpu:N or cpu"
}
