package xla

import (
	"fmt"
	"io"
	"net"
	"strings"
)

// most is the maximum number of claims of a device. No machine has that many processes.
const most = 1 << 12

// claim takes the device with the fewest claims on this machine, and the first of several. A claim is a socket without
// a file, named after the device and a number. The kernel gives a name to one process at a time, and frees it when
// that process ends. Names are local to a network namespace; a container with its own namespace also has its own GPUs.
func claim(kind string, devices []string) (device string, c io.Closer, err error) {
	for n := range most {
		for _, d := range devices {
			if l, err := net.Listen("unix", fmt.Sprintf("@dl4go/%s/%s/%d", kind, d, n)); err == nil {
				return d, l, nil
			}
		}
	}
	return "", nil, fmt.Errorf("%d processes use each device (%s): use fewer workers", most, strings.Join(devices, ", "))
}
