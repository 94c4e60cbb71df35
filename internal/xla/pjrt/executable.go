//go:build linux && (amd64 || arm64)

package pjrt

import (
	"bytes"
	"unsafe"
)

// Executable is a compiled computation on a device.
type Executable struct {
	c       *Client
	loaded  uintptr
	outputs int
	device  int

	execute executeArgs // reused by every run; only argument and result lists change
	options executeOptions
	args    []Buffer
	results []Buffer
	argList [1]unsafe.Pointer
	outList [1]unsafe.Pointer
	done    [1]uintptr // the event of the last run's end
}

type programStruct struct {
	head
	code      unsafe.Pointer
	codeLen   uintptr
	format    unsafe.Pointer
	formatLen uintptr
}

type compileArgs struct {
	head
	client     uintptr
	program    unsafe.Pointer
	options    unsafe.Pointer
	optionsLen uintptr
	executable uintptr
}

// Compile compiles a module of StableHLO text for a device.
func (c *Client) Compile(module []byte, device int, o CompileOptions) (*Executable, error) {
	format, options := []byte("mlir"), o.encode(device)
	p := &programStruct{head: headOf[programStruct](), code: unsafe.Pointer(unsafe.SliceData(module)),
		codeLen: uintptr(len(module)), format: unsafe.Pointer(&format[0]), formatLen: uintptr(len(format))}
	a := &compileArgs{head: headOf[compileArgs](), client: c.handle, program: unsafe.Pointer(p),
		options: unsafe.Pointer(&options[0]), optionsLen: uintptr(len(options))}
	if err := c.p.call(clientCompile, a); err != nil {
		return nil, err
	}
	return c.newExecutable(a.executable, device)
}

type executableArgs struct {
	head
	executable uintptr
	result     uintptr
}

type loadedArgs struct {
	head
	executable uintptr
}

func (c *Client) newExecutable(loaded uintptr, device int) (*Executable, error) {
	x := &Executable{c: c, loaded: loaded, device: device}
	err := x.unloaded(func(executable uintptr) error {
		n := &executableArgs{head: headOf[executableArgs](), executable: executable}
		err := c.p.call(executableNumOutputs, n)
		x.outputs = int(n.result)
		return err
	})
	if err != nil {
		x.Close()
		return nil, err
	}
	x.results = make([]Buffer, x.outputs+1)
	x.outList[0] = unsafe.Pointer(&x.results[0])
	x.options = executeOptions{head: headOf[executeOptions]()}
	x.execute = executeArgs{head: headOf[executeArgs](), executable: loaded, options: unsafe.Pointer(&x.options),
		argLists: unsafe.Pointer(&x.argList), numDevices: 1, outLists: unsafe.Pointer(&x.outList),
		events: unsafe.Pointer(&x.done)}
	return x, nil
}

// unloaded calls f with the executable's other form, which is not loaded on a device.
func (x *Executable) unloaded(f func(executable uintptr) error) error {
	g := &executableArgs{head: headOf[executableArgs](), executable: x.loaded}
	if err := x.c.p.call(loadedGetExecutable, g); err != nil {
		return err
	}
	defer func() { _ = x.c.p.call(executableDestroy, &loadedArgs{headOf[loadedArgs](), g.result}) }()
	return f(g.result)
}

// Outputs returns the number of results of a run.
func (x *Executable) Outputs() int { return x.outputs }

// Close frees the executable's memory.
func (x *Executable) Close() {
	_ = x.c.p.call(loadedDestroy, &loadedArgs{headOf[loadedArgs](), x.loaded})
}

type executeOptions struct {
	head
	send, recv       uintptr
	numSend, numRecv uintptr
	launch           int32
	_                int32
	keep             unsafe.Pointer
	numKeep          uintptr
	context          uintptr
	location         uintptr
	tasks            [3]uintptr
}

type executeArgs struct {
	head
	executable uintptr
	options    unsafe.Pointer
	argLists   unsafe.Pointer
	numDevices uintptr
	numArgs    uintptr
	outLists   unsafe.Pointer
	events     unsafe.Pointer
	_          uintptr // device
}

// Run starts the computation. It consumes the buffers of donated arguments, which must still be freed. The results
// belong to the caller; the slice is valid until the next run. Call Wait before that.
func (x *Executable) Run(args []Buffer) ([]Buffer, error) {
	x.args = append(x.args[:0], args...)
	x.argList[0] = unsafe.Pointer(unsafe.SliceData(x.args))
	x.execute.numArgs = uintptr(len(args))
	if err := x.c.p.call(loadedExecute, &x.execute); err != nil {
		return nil, err
	}
	return x.results[:x.outputs], nil
}

// Wait waits until the last run has ended, and returns its error.
func (x *Executable) Wait() error {
	done := x.done[0]
	x.done[0] = 0
	return x.c.p.await(done)
}

type serializeArgs struct {
	head
	executable  uintptr
	bytes, size uintptr
	backing     uintptr
	free        uintptr
}

// Serialize returns the executable as bytes, for Load.
func (x *Executable) Serialize() (b []byte, err error) {
	err = x.unloaded(func(executable uintptr) error {
		s := &serializeArgs{head: headOf[serializeArgs](), executable: executable}
		if err := x.c.p.call(executableSerialize, s); err != nil {
			return err
		}
		b = bytes.Clone(unsafe.Slice(at[byte](s.bytes), s.size))
		callC(s.free, s.backing)
		return nil
	})
	return b, err
}

type deserializeArgs struct {
	head
	client uintptr
	bytes  unsafe.Pointer
	size   uintptr
	loaded uintptr
	_      [2]uintptr // overrides and their size
}

// Load restores an executable from the bytes of Serialize.
func (c *Client) Load(serialized []byte, device int) (*Executable, error) {
	a := &deserializeArgs{head: headOf[deserializeArgs](), client: c.handle,
		bytes: unsafe.Pointer(unsafe.SliceData(serialized)), size: uintptr(len(serialized))}
	if err := c.p.call(executableDeserializeAndLoad, a); err != nil {
		return nil, err
	}
	return c.newExecutable(a.loaded, device)
}

type statsArgs struct {
	head
	executable                     uintptr
	_                              int64 // code
	arguments, results, alias, tmp int64
	_                              [6]int64 // the same on the host, and the peak
}

// Memory returns the bytes that a run takes on the device: arguments, results that don't replace arguments, and
// intermediate values. It is 0 if the plugin doesn't report them.
func (x *Executable) Memory() (total int64) {
	_ = x.unloaded(func(executable uintptr) error {
		s := &statsArgs{head: headOf[statsArgs](), executable: executable}
		if err := x.c.p.call(executableMemoryStats, s); err != nil {
			return err
		}
		total = s.arguments + s.results - s.alias + s.tmp
		return nil
	})
	return total
}
