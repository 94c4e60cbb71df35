package resident

import (
	"net"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// placeOf returns where the coordinator listens. For processes of this machine it is a Unix socket, unless the settings
// ask for an address. Workers of a cluster that are on this machine also find one.
func placeOf(r distributed.Residents, e engine.Engine) mesh.Place {
	anywhere := r.Address == "" && r.Mask == "" && r.Port == 0 && !mesh.Named()
	if anywhere && mesh.HasLocal() && strings.HasPrefix(e.Master(), "processes") {
		return mesh.Place{Local: true}
	}
	p := mesh.Place{Mask: r.Mask, Port: r.Port, Host: r.Address, Near: anywhere}
	if host, _, err := net.SplitHostPort(r.Address); err == nil {
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

// addressOf returns the address at which workers reach the coordinator: the one in the settings if it has a port,
// otherwise the known one.
func addressOf(r distributed.Residents, known string) string {
	if _, port, err := net.SplitHostPort(r.Address); err == nil {
		if p, err := strconv.Atoi(port); err == nil && p > 0 {
			return r.Address
		}
	}
	return known
}
