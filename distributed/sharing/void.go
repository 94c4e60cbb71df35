package sharing

import (
	"fmt"
	"net/netip"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
)

// MeshBuildMode chooses how updates reach the workers (Deeplearning4j: MeshBuildMode).
type MeshBuildMode string

// Plain: the coordinator sends updates to each worker. Mesh: they go down a tree in which workers relay them.
const (
	Plain MeshBuildMode = "PLAIN"
	Mesh  MeshBuildMode = "MESH"
)

// VoidConfiguration configures the coordinator, and how messages reach workers in other processes (Deeplearning4j:
// VoidConfiguration). Everything is optional. Deeplearning4j's members for UDP, chunks of messages and sharding have no
// effect here.
type VoidConfiguration struct {
	// UnicastPort is the port of the coordinator; 0, the default, is any free port. Deeplearning4j differs: its files
	// always have 49876 in unicastControllerPort and portSupplier, so 49876 in a file means 0.
	UnicastPort int `dl4j:"unicastPort"`
	// NetworkMask, such as 10.0.0.0/8, selects the network interface with whose address workers reach the coordinator
	// and each other. If it is empty, the environment's DL4J_VOID_IP gives the address, if it is set.
	NetworkMask string `dl4j:"networkMask,zeronull"`
	// ControllerAddress is where the workers reach the coordinator, a host or HOST:PORT, if that differs from the
	// coordinator's own view, for example behind address translation.
	ControllerAddress string `dl4j:"controllerAddress,zeronull"`
	// MeshBuildMode: Plain by default.
	MeshBuildMode MeshBuildMode `dl4j:"meshBuildMode"`

	Inert dl4j.Inert
}

// DefaultVoidConfiguration returns the defaults.
func DefaultVoidConfiguration() VoidConfiguration { return VoidConfiguration{MeshBuildMode: Plain} }

// javaPort is the port in all of Deeplearning4j's files.
const javaPort = dl4j.Number("49876")

// InertFields lists members of Deeplearning4j's VoidConfiguration that have no effect here.
func (VoidConfiguration) InertFields() dl4j.Object {
	number := func(n string) any { return dl4j.Number(n) }
	return dl4j.Object{
		{Name: "backupAddresses", Value: []any{}}, {Name: "chunksBufferSize", Value: number("1073741824")},
		{Name: "executionMode", Value: "MANAGED"}, {Name: "faultToleranceStrategy", Value: "NONE"}, {Name: "forcedRole"},
		{Name: "maxChunkSize", Value: number("65536")}, {Name: "maxFailuresPerNode", Value: number("3")},
		{Name: "multicastInterface"}, {Name: "multicastNetwork", Value: "224.0.1.1"},
		{Name: "multicastPort", Value: number("59876")},
		{Name: "numberOfShards", Value: number("1")},
		{Name: "portSupplier", Value: dl4j.Object{{Name: "port", Value: javaPort}}},
		{Name: "responseTimeframe", Value: number("500")}, {Name: "responseTimeout", Value: number("30000")},
		{Name: "retransmitTimeout", Value: number("1000")}, {Name: "shardAddresses", Value: []any{}},
		{Name: "streamId", Value: number("-1")}, {Name: "transportType", Value: "ROUTED_UDP"},
		{Name: "ttl", Value: number("4")},
		{Name: "unicastControllerPort", Value: javaPort}, {Name: "useHS", Value: false}, {Name: "useNS", Value: false},
	}
}

// UnmarshalTree reads Deeplearning4j's format and dl4go's own.
func (v *VoidConfiguration) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		if tree == nil {
			*v = DefaultVoidConfiguration()
			return nil
		}
		return fmt.Errorf("a voidConfiguration is an object")
	}
	if port, ok := o.Get("unicastControllerPort"); ok && port != javaPort {
		o = append(o.Without("unicastControllerPort"), dl4j.Member{Name: "unicastPort", Value: port})
	}
	return dl4j.FromTree(o, (*voidFields)(v))
}

// voidFields reads the members.
type voidFields VoidConfiguration

func (voidFields) InertFields() dl4j.Object { return VoidConfiguration{}.InertFields() }

// Validate checks the settings. An error names the setting.
func (v VoidConfiguration) Validate() error {
	if v.UnicastPort < 0 || v.UnicastPort > 65535 {
		return fmt.Errorf("gradient sharing: unicastPort is %d, it must be from 0 to 65535", v.UnicastPort)
	}
	if _, err := v.network(); err != nil {
		return err
	}
	return masters.OneOf(way, "meshBuildMode", v.MeshBuildMode, Plain, Mesh)
}

// residents returns the settings for the workers' job.
func (v VoidConfiguration) residents() distributed.Residents {
	return distributed.Residents{Port: v.UnicastPort, Mask: v.mask(), Address: v.ControllerAddress,
		Mesh: v.MeshBuildMode == Mesh}
}

// mask returns NetworkMask with its length.
func (v VoidConfiguration) mask() string {
	if n, err := v.network(); err == nil && n.IsValid() {
		return n.String()
	}
	return ""
}

// network parses NetworkMask; the zero value if there is none.
func (v VoidConfiguration) network() (netip.Prefix, error) {
	if v.NetworkMask == "" {
		return netip.Prefix{}, nil
	}
	if p, err := netip.ParsePrefix(v.NetworkMask); err == nil {
		return p.Masked(), nil
	}
	// Deeplearning4j takes an address without a length for the 256 addresses around it.
	a, err := netip.ParseAddr(v.NetworkMask)
	if err != nil || !a.Is4() {
		return netip.Prefix{},
			fmt.Errorf("gradient sharing: networkMask is %q, it must be an address and a length, as 10.0.0.0/8", v.NetworkMask)
	}
	return a.Prefix(24)
}
