package doctor

import (
	"errors"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/xla"
)

func TestDevices(t *testing.T) {
	old, usual, modern := xla.Driver{Version: "470.82", Major: 470}, xla.Driver{Version: "535.1", Major: 535},
		xla.Driver{Version: "580.65.06", Major: 580}
	for name, c := range map[string]struct {
		driver    *xla.Driver // nil: none
		installed string
		failure   string // of the device's start
		level     checkup.Level
		text, fix string
	}{
		"no driver":        {nil, "", "", checkup.OK, "no NVIDIA driver: networks run on the processor", ""},
		"plugin alone":     {nil, "cuda13", "", checkup.OK, "no NVIDIA driver", ""},
		"old driver":       {&old, "", "", checkup.Warning, "NVIDIA driver 470.82", "from 525 on"},
		"no plugin":        {&modern, "", "", checkup.Warning, "580.65.06, and no plugin", "dl4go device install cuda13"},
		"no plugin, older": {&usual, "", "", checkup.Warning, "535.1, and no plugin", "dl4go device install cuda12"},
		"plugin too new":   {&usual, "cuda13", "", checkup.Warning, "plugin cuda13", "dl4go device install cuda12"},
		"both plugins":     {&usual, "cuda13 cuda12", "", checkup.OK, "NVIDIA driver 535.1, plugin cuda12", ""},
		"library missing": {&modern, "cuda13", "libcudnn.so.9 is missing", checkup.Warning, "libcudnn.so.9 is missing",
			"message"},
		"all there":         {&modern, "cuda13", "", checkup.OK, "--device gpu: H100, 8.6 GB for networks", ""},
		"all there, older":  {&usual, "cuda12", "", checkup.OK, "NVIDIA driver 535.1, plugin cuda12", ""},
		"unknown driver":    {&xla.Driver{}, "", "", checkup.Warning, "no plugin", "dl4go device install cuda12"},
		"unknown but there": {&xla.Driver{}, "cuda13", "", checkup.OK, "plugin cuda13", ""},
	} {
		g := gpus{
			driver: func() (xla.Driver, bool, error) {
				if c.driver == nil {
					return xla.Driver{}, false, nil
				}
				return *c.driver, true, nil
			},
			installed: func(kind string) error {
				if !strings.Contains(c.installed, kind) {
					return errors.New("not installed")
				}
				return nil
			},
			about: func(string) (xla.Device, error) {
				if c.failure != "" {
					return xla.Device{}, errors.New(c.failure)
				}
				return xla.Device{Name: "gpu", Kind: "H100", Memory: 8 << 30}, nil
			},
		}
		got := g.devices()
		if got.Level != c.level || !strings.Contains(got.Text, c.text) || !strings.Contains(got.Fix, c.fix) ||
			(got.Fix == "") != (c.level == checkup.OK) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	g := gpus{driver: func() (xla.Driver, bool, error) { return xla.Driver{}, false, errors.New("denied") }}
	if got := g.devices(); got.Level != checkup.Warning || !strings.Contains(got.Text, "denied") {
		t.Errorf("a driver that can't be read: %+v", got)
	}
}
