package resident

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/distributed/gradshare/mesh"
	"github.com/dl4go/dl4go/engine"
)

// Network is where the coordinator is and how messages reach the workers, where these are processes of their own. The zero
// value lets the workers' way be found, and the coordinator send everything.
type Network struct {
	// Port is where the coordinator listens; 0 for any that is free.
	Port int
	// Mask, as 10.0.0.0/8, chooses the network interface by whose address the workers reach the coordinator and each other.
	Mask string
	// Address, a host or HOST:PORT, is how the workers reach the coordinator, where it differs from what the coordinator
	// knows itself by.
	Address string
	// Coordinator, if not empty, is the file with the keys of a dl4go coordinator (Server), which has the coordinator instead
	// of this process. Port has no effect then, and Mask and Address are the workers' alone.
	Coordinator string
	// Mesh: workers pass the log on to each other.
	Mesh bool
}

// Validate fails for what cannot work.
func (n Network) Validate() error {
	if n.Port < 0 || n.Port > 65535 {
		return fmt.Errorf("the coordinator's port is %d, it must be from 0 to 65535", n.Port)
	}
	if n.Mask != "" {
		if _, err := netip.ParsePrefix(n.Mask); err != nil {
			return fmt.Errorf("the workers' network is %q, it must be an address and a length, as 10.0.0.0/8", n.Mask)
		}
	}
	return nil
}

// place is where the coordinator listens.
func (n Network) place(e engine.Engine) mesh.Place {
	p := mesh.Place{Mask: n.Mask, Port: n.Port, Host: n.Address}
	if host, _, err := net.SplitHostPort(n.Address); err == nil {
		p.Host = host
	}
	if _, server, cluster := strings.Cut(e.Master(), "://"); cluster {
		if i := strings.IndexAny(server, "/;"); i >= 0 {
			server = server[:i]
		}
		p.Toward = server
	}
	return p
}

// address is how the workers reach a coordinator that is known by an address.
func (n Network) address(known string) string {
	if _, port, err := net.SplitHostPort(n.Address); err == nil {
		if p, err := strconv.Atoi(port); err == nil && p > 0 {
			return n.Address
		}
	}
	return known
}
