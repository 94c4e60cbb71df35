package doctor

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/internal/xla/compiled"
	"github.com/dl4go/dl4go/internal/xla/plugin"
)

// ListDevices tries the plugin of each kind, and shows the device that it finds.
func ListDevices(o *console.Output) error {
	var found []console.Event
	for _, kind := range plugin.Kinds() {
		e := console.Event{"plugin": kind}
		found = append(found, e)
		installed, err := plugin.Find(kind, "")
		if err != nil {
			e["error"] = err.Error()
			o.Line("%-7s not installed", kind)
			continue
		}
		e["library"] = installed.Library
		d, err := xla.About(kind)
		if err != nil {
			e["error"] = err.Error()
			o.Line("%-7s %s", kind, err)
			continue
		}
		e["device"], e["kind"], e["memory"], e["version"] = d.Name, d.Kind, d.Memory, d.Version
		memory := ""
		if d.Memory > 0 {
			memory = fmt.Sprintf(", %d MiB for networks", d.Memory>>20)
		}
		o.Line("%-7s --device %s: %s%s", kind, d.Name, d.Kind, memory)
	}
	dir := compiled.Default()
	files, bytes := dir.Size()
	o.Line("%d compiled programs, %d MiB of at most %d MiB, in %s", files, bytes>>20, dir.Most>>20, dir.Path)
	return o.Done(console.Event{"devices": found, "compiled": console.Event{"directory": dir.Path, "programs": files,
		"bytes": bytes, "most": dir.Most}})
}
