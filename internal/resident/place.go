package resident

import (
	"net"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// placeOf is where the coordinator listens: for processes of this machine at a Unix socket, unless an address is asked
// for.
func placeOf(r distributed.Residents, e engine.Engine) mesh.Place {
	anywhere := r.Address == "" && r.Mask == "" && r.Port == 0 && !mesh.Named()
	if anywhere && mesh.HasLocal() && strings.HasPrefix(e.Master(), "processes") {
		return mesh.Place{Local: true}
	}
	p := mesh.Place{Mask: r.Mask, Port: r.Port, Host: r.Address}
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

// addressOf is how the workers reach a coordinator that is known by an address.
func addressOf(r distributed.Residents, known string) string {
	if _, port, err := net.SplitHostPort(r.Address); err == nil {
		if p, err := strconv.Atoi(port); err == nil && p > 0 {
			return r.Address
		}
	}
	return known
}
