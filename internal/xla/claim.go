package xla

import (
	"fmt"
	"io"
	"net"
	"strings"
)

// most is the number of claims of a device, which no machine has processes for.
const most = 1 << 12

// claim takes the device that has the fewest claims on this machine, the first one of several. A claim is a socket
// without a file, whose name has the device and a number: the kernel gives a name to one process at a time, and takes
// it back when that ends. Names hold for one network namespace; a container that has its own also has GPUs of its own.
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
