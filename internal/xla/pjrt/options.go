//go:build linux && (amd64 || arm64)

package pjrt

import (
	"github.com/ebitengine/purego"
	"google.golang.org/protobuf/encoding/protowire"
)

// CompileOptions are XLA's settings (members of its DebugOptions) that differ from its defaults.
type CompileOptions struct {
	Bools map[string]bool
}

// encode returns XLA's message CompileOptionsProto.
func (o CompileOptions) encode(device int) []byte {
	const ( // members of CompileOptionsProto and of its ExecutableBuildOptionsProto
		buildOptions  = 3
		overrides     = 7
		deviceOrdinal = 1
		replicas      = 4
		partitions    = 5
		assignment    = 9
	)
	var build []byte
	number := func(to []byte, field protowire.Number, x uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), x)
	}
	part := func(to []byte, field protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(to, field, protowire.BytesType), b)
	}
	build = number(build, deviceOrdinal, uint64(device))
	build = number(build, replicas, 1)
	build = number(build, partitions, 1)
	// DeviceAssignmentProto: replica_count 1, computation_count 2, computation_devices 3 { replica_device_ids 1 }.
	devices := number(number(nil, 1, 1), 2, 1)
	devices = part(devices, 3, number(nil, 1, uint64(device)))
	build = part(build, assignment, devices)
	out := part(nil, buildOptions, build)
	for name, x := range o.Bools {
		value := number(nil, 2, protowire.EncodeBool(x)) // OptionOverrideProto.bool_field
		entry := part(part(nil, 1, []byte(name)), 2, value)
		out = part(out, overrides, entry)
	}
	return out
}

// callC calls a function of the plugin that is not part of its interface.
func callC(function, argument uintptr) {
	if function != 0 {
		_, _, _ = purego.SyscallN(function, argument)
	}
}
