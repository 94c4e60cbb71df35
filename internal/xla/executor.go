package xla

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/dl4go/dl4go/internal/xla/client"
	"github.com/dl4go/dl4go/internal/xla/wire"
	"github.com/dl4go/dl4go/program"
)

// Options say where programs run.
type Options struct {
	// Name is the device's name for errors, such as "GPU 1".
	Name string
	// Program is the path of dl4go-xla.
	Program string
	// Plugin is the path of a PJRT plugin, a shared library.
	Plugin string
	// Cache is a directory for compiled programs; it is created if missing. "" means no cache.
	Cache string
	// Env are environment variables of the device process. For GPUs they select the GPU.
	Env []string
	// GPU says that the plugin is for GPUs, whose memory is taken on demand.
	GPU bool
	// Precision is the precision of products and convolutions.
	Precision Precision
	// Memory limits the memory taken on the device. A Part is for GPUs only.
	Memory Limit
	// Claim, if not nil, is closed with the executor.
	Claim io.Closer
}

// Device describes the device of an Executor.
type Device struct {
	Name     string // for Open; empty in an Executor's Device
	Platform string // "cpu", "cuda"
	Kind     string // its model
	Version  string // of the plugin
	Memory   int64  // bytes available to programs, 0 if unknown
}

// Executor runs programs on a device, through a device process. It keeps the vectors of networks there between runs.
// Its methods, and those of the values that it makes, may be called from several goroutines; one program runs at a
// time.
//
// If a device or its process fails during a run, the process is replaced once. The new one gets the vectors as they
// were last copied to this process, and repeats the runs since then.
type Executor struct {
	options Options
	device  Device

	mu       sync.Mutex
	process  *client.Process // nil after Close, and if no other could be started
	gone     error           // why not
	started  int             // number of device processes so far
	programs int             // number of IDs given to programs so far
	buffers  int
	garbage  wire.Free
	shared   int // bytes of the shared memory used by the current request
	traffic  Traffic
}

// Traffic counts the bytes of arrays that crossed between this process and the device.
type Traffic struct{ There, Back int64 }

// Traffic returns the bytes so far.
func (e *Executor) Traffic() Traffic {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.traffic
}

var errClosed = errors.New("xla: the executor is closed")

// New starts a device process.
func New(o Options) (*Executor, error) {
	e := &Executor{options: o}
	if err := e.start(); err != nil {
		return nil, err
	}
	return e, nil
}

// start starts a device process and opens the plugin.
func (e *Executor) start() error {
	p, err := client.Start(e.options.Program, e.options.Env)
	if err != nil {
		return fmt.Errorf("xla: %w", err)
	}
	a, err := p.Do(&wire.Request{Open: &wire.Open{Version: wire.Version, Plugin: e.options.Plugin, Cache: e.options.Cache,
		GPU: e.options.GPU, Part: e.options.Memory.Part, Bytes: e.options.Memory.Bytes}})
	if err != nil {
		p.Close()
		return fmt.Errorf("xla: %w", err)
	}
	e.process = p
	e.started++
	e.garbage = wire.Free{}
	d := a.Opened.Devices[0]
	e.device = Device{Platform: a.Opened.Platform, Kind: d.Kind, Version: a.Opened.PlatformVersion, Memory: d.Limit}
	return nil
}

// Device describes the device.
func (e *Executor) Device() Device { return e.device }

// Process returns the ID of the device process.
func (e *Executor) Process() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.process == nil {
		return 0
	}
	return e.process.ID()
}

// Close ends the device process.
func (e *Executor) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.process != nil {
		e.process.Close()
		e.process = nil
	}
	if e.options.Claim != nil {
		_ = e.options.Claim.Close()
		e.options.Claim = nil
	}
}

// ended returns an error if there is no device process any more.
func (e *Executor) ended() error {
	switch {
	case e.process != nil:
		return nil
	case e.gone != nil:
		return e.gone
	}
	return errClosed
}

// do sends a request. Before that, it frees programs and buffers that are no longer needed.
func (e *Executor) do(r *wire.Request) (*wire.Answer, error) {
	if err := e.ended(); err != nil {
		return nil, err
	}
	if len(e.garbage.Buffers)+len(e.garbage.Programs) > 0 {
		free := e.garbage
		e.garbage = wire.Free{}
		if _, err := e.process.Do(&wire.Request{Free: &free}); err != nil {
			return nil, err
		}
	}
	return e.process.Do(r)
}

// restart replaces a device process.
func (e *Executor) restart() error {
	if e.process != nil {
		e.process.Close()
		e.process = nil
	}
	return e.start()
}

// Compile compiles a program.
func (e *Executor) Compile(p *program.Program) (program.Executable, error) {
	return e.compile([]*program.Program{p})
}

// CompileStep compiles a training step: see [program.Keeper].
func (e *Executor) CompileStep(programs ...*program.Program) (program.Executable, error) {
	return e.compile(programs, program.Gradient)
}

func (e *Executor) compile(programs []*program.Program, local ...program.Vector) (program.Executable, error) {
	x := &executable{e: e, programs: programs, local: local}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.programs++
	x.id = e.programs
	for _, p := range programs {
		x.inputs = append(x.inputs, p.Inputs...)
		x.outputs = append(x.outputs, p.Outputs...)
	}
	x.own = make([][]float32, len(x.outputs))
	for i, o := range x.outputs {
		x.own[i] = make([]float32, o.Value.Shape.Size())
	}
	x.needs = cutsOf(programs)
	if err := e.twice(func() error { return x.compile(x.needs) }); err != nil {
		return nil, err
	}
	runtime.AddCleanup(x, e.drop, x.id)
	return x, nil
}

// drop frees a program that this process no longer uses.
func (e *Executor) drop(id int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.garbage.Programs = append(e.garbage.Programs, id)
}

// executable is one or more compiled programs.
type executable struct {
	e        *Executor
	id       int
	programs []*program.Program
	local    []program.Vector
	inputs   []*program.Value
	outputs  []program.Named
	needs    cuts        // of the programs
	own      [][]float32 // outputs of the last run

	module  *Module
	started int // the device process that compiled it
	memory  int64
	cached  bool // an earlier device process had compiled it
	request wire.Run
}

// compile compiles the programs for vectors with these cuts.
func (x *executable) compile(c cuts) error {
	for v := range c {
		if len(x.needs[v]) == 0 {
			c[v] = nil
		} else if x.isLocal(program.Vector(v)) {
			c[v] = x.needs[v]
		}
	}
	if x.module == nil || !slices.EqualFunc(x.module.Cuts[:], c[:], slices.Equal[[]int]) {
		m, err := lower(x.programs, c, arithmetic{x.e.options.Precision, !x.e.options.GPU}, x.local...)
		if err != nil {
			return err
		}
		x.module, x.started = m, 0
	}
	if x.started == x.e.started {
		return nil
	}
	a, err := x.e.do(&wire.Request{Compile: &wire.Compile{ID: x.id, Module: x.module.Text,
		Results: x.module.storedSegments() + len(x.outputs)}})
	if err != nil {
		return x.explain(err)
	}
	x.started, x.memory, x.cached = x.e.started, a.Compiled.Memory, a.Compiled.Cached
	if has := x.e.limit(); has > 0 && x.memory > has {
		x.started = 0
		x.e.garbage.Programs = append(x.e.garbage.Programs, x.id)
		return x.lacks(nil)
	}
	return nil
}

// limit is the bytes of the device that programs can take, 0 if unknown.
func (e *Executor) limit() int64 {
	limit, bytes := e.device.Memory, e.options.Memory.Bytes
	if limit == 0 || bytes > 0 && bytes < limit {
		return bytes
	}
	return limit
}

// lacks is the error that the memory does not suffice.
func (x *executable) lacks(cause error) error {
	return &program.MemoryError{Device: x.e.device.Kind, Needs: x.memory, Has: x.e.limit(), Cause: cause}
}

// explain adds to an error what a reader needs to know.
func (x *executable) explain(err error) error {
	var r *client.Refused
	if !errors.As(err, &r) {
		return err
	}
	if !r.Exhausted {
		return fmt.Errorf("xla: %w", err)
	}
	return x.lacks(err)
}

// Output returns the elements of output i after a run.
func (x *executable) Output(i int) []float32 { return x.own[i] }

// Memory returns the bytes that a run takes on the device beside the kept vectors, as far as the plugin reports them.
func (x *executable) Memory() int64 { return x.memory }

// Dump writes the StableHLO module.
func (x *executable) Dump(w io.Writer) error {
	_, err := io.WriteString(w, x.module.Text)
	return err
}
