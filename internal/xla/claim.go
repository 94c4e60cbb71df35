package xla

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// claimPatience is how long a worker waits for its turn at a device: one that ended a moment ago may still have it.
const claimPatience = 30 * time.Second

// claims says who has which devices of a machine. A claim is a socket without a file, whose name has the device and a
// number: the kernel gives a name to one process at a time, and takes it back when that ends. Names hold for one
// network namespace; a container that has its own also has GPUs of its own.
type claims struct {
	prefix string
	most   int // claims of a device; 0: any number
	// patience is how long to wait where all are taken.
	patience time.Duration
}

// beyond is a number of claims that no device has.
const beyond = 1 << 12

// take claims the device that has the fewest claims, the first one of several.
func (c claims) take(devices []string) (device string, claim io.Closer, err error) {
	most := c.most
	if most == 0 {
		most = beyond
	}
	deadline := time.Now().Add(c.patience)
	for {
		for n := range most {
			for _, d := range devices {
				if l, err := net.Listen("unix", fmt.Sprintf("@dl4go/%s/%s/%d", c.prefix, d, n)); err == nil {
					return d, l, nil
				}
			}
		}
		wait := min(100*time.Millisecond, time.Until(deadline))
		if wait <= 0 {
			break
		}
		<-time.After(wait)
	}
	return "", nil, fmt.Errorf("%d workers share each device (%s), and no more may: use fewer workers, or raise "+
		"--workers-per-device", most, strings.Join(devices, ", "))
}
