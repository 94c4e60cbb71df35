package mesh_test

import (
	"testing"

	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/distributed/gradshare/mesh"
	"github.com/dl4go/dl4go/distributed/gradshare/mesh/meshtest"
)

func TestMemory(t *testing.T) {
	meshtest.Run(t, func(*testing.T) meshtest.Network { return mesh.NewMemory().Transport })
}

func TestSecure(t *testing.T) {
	meshtest.Run(t, func(t *testing.T) meshtest.Network {
		pair, err := mesh.Issue(mesh.Terms{Job: gradshare.JobID{'t', 'e', 's', 't'}})
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
