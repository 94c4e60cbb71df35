//go:build linux && (amd64 || arm64)

// Package pjrt calls XLA through PJRT, its C interface. It loads a plugin (a shared library for one kind of device),
// compiles StableHLO and runs it. It only has the calls that the device process needs.
//
// Only cmd/dl4go-xla may import it, because a program that loads shared libraries is linked with the system's loader.
package pjrt

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The version of the interface for which this package is written. It refuses plugins of another major version, and
// those of a minor version below Oldest, which lack a function that it uses.
const (
	Major  = 0
	Oldest = 40
)

// The functions of PJRT_Api, by their index.
const (
	errorDestroy = iota
	errorMessage
	errorGetCode
	pluginInitialize
	_ // PJRT_Plugin_Attributes
	eventDestroy
	_ // PJRT_Event_IsReady
	_ // PJRT_Event_Error
	eventAwait
	_ // PJRT_Event_OnReady
	clientCreate
	clientDestroy
	clientPlatformName
	_ // PJRT_Client_ProcessIndex
	clientPlatformVersion
	_ // PJRT_Client_Devices
	clientAddressableDevices
	_ // PJRT_Client_LookupDevice
	_ // PJRT_Client_LookupAddressableDevice
	_ // PJRT_Client_AddressableMemories
	clientCompile
	_ // PJRT_Client_DefaultDeviceAssignment
	clientBufferFromHostBuffer
	_ // PJRT_DeviceDescription_Id
	_ // PJRT_DeviceDescription_ProcessIndex
	_ // PJRT_DeviceDescription_Attributes
	descriptionKind
	_ // PJRT_DeviceDescription_DebugString
	_ // PJRT_DeviceDescription_ToString
	deviceGetDescription
	_ // PJRT_Device_IsAddressable
	deviceLocalHardwareID
	_ // PJRT_Device_AddressableMemories
	_ // PJRT_Device_DefaultMemory
	deviceMemoryStats
	_ // PJRT_Memory_Id
	_ // PJRT_Memory_Kind
	_ // PJRT_Memory_DebugString
	_ // PJRT_Memory_ToString
	_ // PJRT_Memory_AddressableByDevices
	executableDestroy
	_ // PJRT_Executable_Name
	_ // PJRT_Executable_NumReplicas
	_ // PJRT_Executable_NumPartitions
	executableNumOutputs
	_ // PJRT_Executable_SizeOfGeneratedCodeInBytes
	_ // PJRT_Executable_GetCostAnalysis
	_ // PJRT_Executable_OutputMemoryKinds
	_ // PJRT_Executable_OptimizedProgram
	executableSerialize
	loadedDestroy
	loadedGetExecutable
	_ // PJRT_LoadedExecutable_AddressableDevices
	_ // PJRT_LoadedExecutable_Delete
	_ // PJRT_LoadedExecutable_IsDeleted
	loadedExecute
	executableDeserializeAndLoad
	_ // PJRT_LoadedExecutable_Fingerprint
	bufferDestroy
	_ // PJRT_Buffer_ElementType
	_ // PJRT_Buffer_Dimensions
	_ // PJRT_Buffer_UnpaddedDimensions
	_ // PJRT_Buffer_DynamicDimensionIndices
	_ // PJRT_Buffer_GetMemoryLayout
	_ // PJRT_Buffer_OnDeviceSizeInBytes
	_ // PJRT_Buffer_Device
	_ // PJRT_Buffer_Memory
	_ // PJRT_Buffer_Delete
	_ // PJRT_Buffer_IsDeleted
	_ // PJRT_Buffer_CopyToDevice
	bufferToHostBuffer
	_ // PJRT_Buffer_IsOnCpu
	_ // PJRT_Buffer_ReadyEvent
	_ // PJRT_Buffer_UnsafePointer
	_ // PJRT_Buffer_IncreaseExternalReferenceCount
	_ // PJRT_Buffer_DecreaseExternalReferenceCount
	_ // PJRT_Buffer_OpaqueDeviceMemoryDataPointer
	_ // PJRT_CopyToDeviceStream_Destroy
	_ // PJRT_CopyToDeviceStream_AddChunk
	_ // PJRT_CopyToDeviceStream_TotalBytes
	_ // PJRT_CopyToDeviceStream_GranuleSize
	_ // PJRT_CopyToDeviceStream_CurrentBytes
	_ // PJRT_TopologyDescription_Create
	_ // PJRT_TopologyDescription_Destroy
	_ // PJRT_TopologyDescription_PlatformName
	_ // PJRT_TopologyDescription_PlatformVersion
	_ // PJRT_TopologyDescription_GetDeviceDescriptions
	_ // PJRT_TopologyDescription_Serialize
	_ // PJRT_TopologyDescription_Attributes
	_ // PJRT_Compile
	_ // PJRT_Executable_OutputElementTypes
	_ // PJRT_Executable_OutputDimensions
	_ // PJRT_Buffer_CopyToMemory
	_ // PJRT_Client_CreateViewOfDeviceBuffer
	_ // PJRT_Executable_Fingerprint
	_ // PJRT_Client_TopologyDescription
	executableMemoryStats
	numFunctions
)

// table is the start of PJRT_Api.
type table struct {
	size    uintptr
	_       uintptr // extension
	version struct {
		size         uintptr
		_            uintptr // extension
		major, minor int32
	}
	functions [numFunctions]uintptr
}

// Plugin is a loaded plugin. It stays loaded until the process ends.
type Plugin struct {
	Path  string
	Minor int // the interface's minor version
	api   *table
}

// Load opens a plugin's library and checks its version.
func Load(path string) (*Plugin, error) {
	if err := whole(path); err != nil {
		return nil, fmt.Errorf("cannot be loaded: %w", err)
	}
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("cannot be loaded: %w", err)
	}
	entry, err := purego.Dlsym(lib, "GetPjrtApi")
	if err != nil {
		return nil, fmt.Errorf("is no PJRT plugin: it has no function GetPjrtApi")
	}
	address, _, _ := purego.SyscallN(entry)
	if address == 0 {
		return nil, fmt.Errorf("is no PJRT plugin: GetPjrtApi gives nothing")
	}
	api := at[table](address)
	if v := api.version; v.major != Major || v.minor < Oldest {
		return nil, fmt.Errorf("has version %d.%d of the PJRT interface, this program needs %d.%d or a later %d.x",
			v.major, v.minor, Major, Oldest, Major)
	}
	if api.size < unsafe.Sizeof(table{}) {
		return nil, fmt.Errorf("has a PJRT interface of %d bytes, %d are needed", api.size, unsafe.Sizeof(table{}))
	}
	p := &Plugin{Path: path, Minor: int(api.version.minor), api: api}
	return p, p.call(pluginInitialize, &head{size: unsafe.Sizeof(head{})})
}

// whole checks that a library's file has all the parts that it declares, because the loader would crash on a truncated
// file. Names without a directory are left to the loader.
func whole(path string) error {
	if filepath.Base(path) == path {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("it is not a shared library: %w; install it again", err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if end := p.Off + p.Filesz; p.Type == elf.PT_LOAD && end > uint64(info.Size()) {
			return fmt.Errorf("the file was cut off: it has %d bytes, and should have %d at least; install it again",
				info.Size(), end)
		}
	}
	return nil
}

// at returns the value at an address outside Go's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// text copies a string of the plugin.
func text(address, size uintptr) string {
	if address == 0 || size == 0 {
		return ""
	}
	return string(unsafe.Slice(at[byte](address), size))
}

// head begins every argument struct.
type head struct {
	size      uintptr
	extension uintptr
}

func headOf[T any]() head {
	var args T
	return head{size: unsafe.Sizeof(args)}
}

// call calls a function with its argument struct, and converts its result to an error.
func (p *Plugin) call(function int, args any) error { return p.failure(p.raw(function, args)) }

// raw calls a function with the address of its argument struct, which is a pointer.
func (p *Plugin) raw(function int, args any) uintptr {
	data := (*[2]unsafe.Pointer)(unsafe.Pointer(&args))[1]
	result, _, _ := purego.SyscallN(p.api.functions[function], uintptr(data))
	keep(args)
	return result
}

//go:noinline
func keep(any) {}

// Error is an error of the plugin.
type Error struct {
	Code    int // of absl::StatusCode
	Message string
}

// Codes of errors.
const (
	unknown           = 2
	ResourceExhausted = 8
	aborted           = 10
	internal          = 13
	unavailable       = 14
	dataLoss          = 15
)

func (e *Error) Error() string { return e.Message }

// Fault reports whether the device failed: neither the request was wrong, nor did the device lack memory.
func (e *Error) Fault() bool {
	switch e.Code {
	case unknown, aborted, internal, unavailable, dataLoss:
		return true
	}
	return false
}

type errorArgs struct {
	head
	err uintptr
}

type messageArgs struct {
	head
	err          uintptr
	message, len uintptr
}

type codeArgs struct {
	head
	err  uintptr
	code int32
	_    int32
}

func (p *Plugin) failure(err uintptr) error {
	if err == 0 {
		return nil
	}
	m := &messageArgs{head: headOf[messageArgs](), err: err}
	p.raw(errorMessage, m)
	c := &codeArgs{head: headOf[codeArgs](), err: err}
	out := &Error{Message: text(m.message, m.len)}
	if p.raw(errorGetCode, c) == 0 {
		out.Code = int(c.code)
	}
	p.raw(errorDestroy, &errorArgs{headOf[errorArgs](), err})
	return out
}

type eventArgs struct {
	head
	event uintptr
}

// await waits for an event and destroys it.
func (p *Plugin) await(event uintptr) error {
	if event == 0 {
		return nil
	}
	err := p.call(eventAwait, &eventArgs{headOf[eventArgs](), event})
	p.raw(eventDestroy, &eventArgs{headOf[eventArgs](), event})
	return err
}
