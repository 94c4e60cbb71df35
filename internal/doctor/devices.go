package doctor

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/internal/xla/plugin"
)

// gpus is the view of a machine for the check of devices.
type gpus struct {
	driver    func() (d xla.Driver, found bool, err error)
	installed func(kind string) error
	about     func(kind string) (xla.Device, error) // starts the device
}

func machineGPUs() gpus {
	return gpus{xla.FindDriver, func(kind string) error { _, err := plugin.Find(kind, ""); return err }, xla.About}
}

// devices reports whether networks can run on a GPU of this machine, and what is missing. A machine without a driver
// is fine: networks run on its processor.
func (g gpus) devices() checkup.Finding {
	d, found, err := g.driver()
	switch {
	case err != nil:
		return checkup.Warn(err.Error(), "networks run on the processor")
	case !found:
		return checkup.Okf("no NVIDIA driver: networks run on the processor")
	}
	text := "NVIDIA driver " + d.Version
	if d.Version != "" && d.Plugin() == "" {
		return checkup.Warn(text, "a driver from 525 on: this one is too old for CUDA 12. Networks run on the processor")
	}
	newer := false // there is a plugin for newer drivers
	for _, kind := range []string{"cuda13", "cuda12"} {
		if g.installed(kind) != nil {
			continue
		}
		if !d.Runs(kind) {
			newer = true
			continue
		}
		device, err := g.about(kind)
		if err != nil {
			return checkup.Warn(fmt.Sprintf("%s, plugin %s: %v", text, kind, err),
				"what the message names; until then networks run on the processor")
		}
		memory := ""
		if device.Memory > 0 {
			memory = fmt.Sprintf(", %s for networks", progress.Bytes(device.Memory))
		}
		return checkup.Okf("--device %s: %s%s, %s, plugin %s", device.Name, device.Kind, memory, text, kind)
	}
	if newer {
		return checkup.Warn(text+", plugin cuda13", "dl4go device install "+d.Plugin()+": cuda13 needs a driver from 580 on")
	}
	kind := d.Plugin()
	if kind == "" {
		kind = "cuda12"
	}
	return checkup.Warn(text+", and no plugin", "dl4go device install "+kind+", to run networks on the GPU")
}
