package mesh_test

import (
	"net"
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/internal/coordination/mesh/meshtest"
)

func TestMemory(t *testing.T) {
	meshtest.Run(t, func(*testing.T) meshtest.Network { return mesh.NewMemory().Transport })
}

func TestSecure(t *testing.T) {
	meshtest.Run(t, func(t *testing.T) meshtest.Network {
		pair, err := mesh.Issue(mesh.Terms{Job: coordination.JobID{'t', 'e', 's', 't'}})
		if err != nil {
			t.Fatal(err)
		}
		return func(r mesh.Role, o mesh.Options) mesh.Transport {
			c := pair.Worker
			if r == mesh.Coordinator {
				c = pair.Coordinator
			}
			s, err := mesh.NewSecure(c, o)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	})
}

// TestLocal runs the tests on Unix sockets.
func TestLocal(t *testing.T) {
	if !mesh.HasLocal() {
		return // then no transport uses them
	}
	meshtest.Run(t, func(t *testing.T) meshtest.Network {
		pair, err := mesh.Issue(mesh.Terms{Job: coordination.JobID{'l', 'o', 'c', 'a', 'l'}})
		if err != nil {
			t.Fatal(err)
		}
		return func(r mesh.Role, o mesh.Options) mesh.Transport {
			c := pair.Worker
			if r == mesh.Coordinator {
				c = pair.Coordinator
			}
			s, err := mesh.NewSecure(c, o)
			if err != nil {
				t.Fatal(err)
			}
			return local{s}
		}
	})
}

// local listens on Unix sockets.
type local struct{ mesh.Transport }

func (l local) Listen(mesh.Place) (mesh.Listener, error) {
	return l.Transport.Listen(mesh.Place{Local: true})
}

// TestPort runs the tests with a coordinator at a shared port.
func TestPort(t *testing.T) {
	meshtest.Run(t, func(t *testing.T) meshtest.Network {
		pair, err := mesh.Issue(mesh.Terms{Job: coordination.JobID{'p', 'o', 'r', 't'}})
		if err != nil {
			t.Fatal(err)
		}
		return func(r mesh.Role, o mesh.Options) mesh.Transport {
			c := pair.Worker
			if r == mesh.Coordinator {
				c = pair.Coordinator
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				o.Port = mesh.NewPort(l, l.Addr().String(), o)
			}
			s, err := mesh.NewSecure(c, o)
			if err != nil {
				t.Fatal(err)
			}
			return atPort{s, o.Port}
		}
	})
}

// atPort also closes its port.
type atPort struct {
	mesh.Transport
	port *mesh.Port
}

func (a atPort) Close() error {
	err := a.Transport.Close()
	if a.port != nil {
		a.port.Close()
	}
	return err
}
