//go:build linux && (amd64 || arm64)

package pjrt

import (
	"fmt"
	"unsafe"
)

// Client is a plugin's connection to its devices.
type Client struct {
	p       *Plugin
	handle  uintptr
	devices []uintptr
}

// Option is a setting of a plugin: a string, a bool, a float32 or a list of int64.
type Option struct {
	Name  string
	Value any
}

type namedValue struct {
	head
	name    unsafe.Pointer
	nameLen uintptr
	kind    int32
	_       int32
	value   uint64         // of a number, a bool
	size    uintptr        // elements
	_       unsafe.Pointer // keeps value's memory
}

func (o Option) named() namedValue {
	name := []byte(o.Name)
	v := namedValue{head: head{size: unsafe.Offsetof(namedValue{}.size) + 8}, name: unsafe.Pointer(&name[0]),
		nameLen: uintptr(len(name)), size: 1}
	switch x := o.Value.(type) {
	case bool:
		v.kind = 4
		if x {
			v.value = 1
		}
	case float32:
		v.kind = 3
		*(*float32)(unsafe.Pointer(&v.value)) = x
	default:
		panic(fmt.Sprintf("pjrt: option %s is a %T", o.Name, o.Value))
	}
	return v
}

type createArgs struct {
	head
	options    unsafe.Pointer
	numOptions uintptr
	_          [4]uintptr // callbacks that get and put
	client     uintptr
	_          [2]uintptr // a callback that tries to get
}

type clientArgs struct {
	head
	client uintptr
}

type namesArgs struct {
	head
	of        uintptr
	text, len uintptr
}

// NewClient connects to the devices of a plugin.
func NewClient(p *Plugin, options ...Option) (*Client, error) {
	list := make([]namedValue, len(options)+1)
	for i, o := range options {
		list[i] = o.named()
	}
	a := &createArgs{head: headOf[createArgs](), options: unsafe.Pointer(&list[0]), numOptions: uintptr(len(options))}
	if err := p.call(clientCreate, a); err != nil {
		return nil, err
	}
	c := &Client{p: p, handle: a.client}
	d := &namesArgs{head: headOf[namesArgs](), of: c.handle}
	if err := p.call(clientAddressableDevices, d); err != nil {
		return nil, err
	}
	if d.len == 0 {
		return nil, fmt.Errorf("the plugin finds no device")
	}
	c.devices = append(c.devices, unsafe.Slice(at[uintptr](d.text), d.len)...)
	return c, nil
}

// Close ends the connection.
func (c *Client) Close() error {
	return c.p.call(clientDestroy, &clientArgs{headOf[clientArgs](), c.handle})
}

// Devices returns the number of devices.
func (c *Client) Devices() int { return len(c.devices) }

// Platform returns the kind of the devices, such as "cpu" or "cuda", and the plugin's own version.
func (c *Client) Platform() (name, version string, err error) {
	n := &namesArgs{head: headOf[namesArgs](), of: c.handle}
	if err := c.p.call(clientPlatformName, n); err != nil {
		return "", "", err
	}
	v := &namesArgs{head: headOf[namesArgs](), of: c.handle}
	err = c.p.call(clientPlatformVersion, v)
	return text(n.text, n.len), text(v.text, v.len), err
}

type descriptionArgs struct {
	head
	device, description uintptr
}

// Kind returns the model of a device, such as "NVIDIA H200".
func (c *Client) Kind(device int) (string, error) {
	d := &descriptionArgs{head: headOf[descriptionArgs](), device: c.devices[device]}
	if err := c.p.call(deviceGetDescription, d); err != nil {
		return "", err
	}
	k := &namesArgs{head: headOf[namesArgs](), of: d.description}
	err := c.p.call(descriptionKind, k)
	return text(k.text, k.len), err
}

type hardwareArgs struct {
	head
	device uintptr
	id     int32
	_      int32
}

// Hardware returns the driver's number of a device, or -1.
func (c *Client) Hardware(device int) int {
	h := &hardwareArgs{head: headOf[hardwareArgs](), device: c.devices[device]}
	if c.p.call(deviceLocalHardwareID, h) != nil {
		return -1
	}
	return int(h.id)
}

type memoryArgs struct {
	head
	device   uintptr
	inUse    int64
	_        [6]int64 // peak, allocations, largest allocation, and whether each is set
	limit    int64
	limitSet bool
	_        [7]byte
	_        [12]int64 // reserved, free and pooled bytes, and whether each is set
}

// Memory returns the used bytes of a device, and the limit; 0 if the plugin doesn't report them.
func (c *Client) Memory(device int) (used, limit int64) {
	m := &memoryArgs{head: headOf[memoryArgs](), device: c.devices[device]}
	if c.p.call(deviceMemoryStats, m) != nil {
		return 0, 0
	}
	if !m.limitSet {
		m.limit = 0
	}
	return m.inUse, m.limit
}
