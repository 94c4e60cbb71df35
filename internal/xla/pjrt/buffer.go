//go:build linux && (amd64 || arm64)

package pjrt

import "unsafe"

// Type is an element type, by PJRT's number. All types used here have 4 bytes.
type Type int32

// The types of elements.
const (
	Uint32  Type = 8
	Float32 Type = 11
)

// Buffer is an array on a device.
type Buffer uintptr

type fromHostArgs struct {
	head
	client    uintptr
	data      unsafe.Pointer
	kind      int32
	_         int32
	dims      unsafe.Pointer
	numDims   uintptr
	_         [2]uintptr // strides
	semantics int32
	_         int32
	device    uintptr
	_         [2]uintptr // memory, layout
	done      uintptr
	buffer    uintptr
}

// Members of PJRT_HostBufferSemantics.
const (
	untilTransferred = 1 // kImmutableUntilTransferCompletes
	zeroCopy         = 2 // kImmutableZeroCopy
)

// Upload copies an array of one dimension to a device. data is read until wait returns.
func (c *Client) Upload(device int, data []byte, kind Type) (b Buffer, wait func() error, err error) {
	b, done, err := c.upload(device, data, kind, untilTransferred)
	return b, func() error { return c.p.await(done) }, err
}

// Lend makes an array of one dimension a buffer, without copying it if the device is the processor. data must stay as
// it is until all runs that use the buffer have ended and the buffer is freed.
func (c *Client) Lend(device int, data []byte, kind Type) (Buffer, error) {
	b, done, err := c.upload(device, data, kind, zeroCopy)
	if err == nil && done != 0 {
		c.p.raw(eventDestroy, &eventArgs{headOf[eventArgs](), done}) // it comes when the buffer is freed
	}
	return b, err
}

func (c *Client) upload(device int, data []byte, kind Type, semantics int32) (b Buffer, done uintptr, err error) {
	dims := &[1]int64{int64(len(data) / 4)}
	a := &fromHostArgs{head: headOf[fromHostArgs](), client: c.handle, data: unsafe.Pointer(unsafe.SliceData(data)),
		kind: int32(kind), dims: unsafe.Pointer(dims), numDims: 1,
		semantics: semantics, device: c.devices[device]}
	if err := c.p.call(clientBufferFromHostBuffer, a); err != nil {
		return 0, 0, err
	}
	return Buffer(a.buffer), a.done, nil
}

type toHostArgs struct {
	head
	src   uintptr
	_     uintptr // layout
	dst   unsafe.Pointer
	size  uintptr
	event uintptr
}

// Download copies an array of one dimension to data. The data is complete when wait returns.
func (c *Client) Download(b Buffer, data []byte) (wait func() error, err error) {
	a := &toHostArgs{head: headOf[toHostArgs](), src: uintptr(b), dst: unsafe.Pointer(unsafe.SliceData(data)),
		size: uintptr(len(data))}
	if err := c.p.call(bufferToHostBuffer, a); err != nil {
		return nil, err
	}
	return func() error { return c.p.await(a.event) }, nil
}

type bufferArgs struct {
	head
	buffer uintptr
}

// Free frees the memory of a buffer that is no longer needed.
func (c *Client) Free(b Buffer) {
	_ = c.p.call(bufferDestroy, &bufferArgs{headOf[bufferArgs](), uintptr(b)})
}
