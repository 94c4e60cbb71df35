// Package wire is the protocol between dl4go and its device process, dl4go-xla: JSON messages over two pipes, one
// request and its answer at a time. Arrays travel through memory that both processes map (Memory).
package wire

// The file descriptors of the device process besides its standard ones. Requests arrive on standard input. Answers
// have their own pipe, because plugins may print.
const (
	MemoryFile  = 3
	AnswersFile = 4
)

// Version is the version of the protocol. Both sides must have the same one.
const Version = 4

// Request asks for one thing: the field that is set.
type Request struct {
	Open    *Open    `json:",omitempty"`
	Compile *Compile `json:",omitempty"`
	Put     []Array  `json:",omitempty"` // arrays for the device
	Get     []Array  `json:",omitempty"` // arrays from the device
	Run     *Run     `json:",omitempty"`
	Free    *Free    `json:",omitempty"`
}

// Open loads a plugin. It must be the first request.
type Open struct {
	Version int
	Plugin  string // path of the shared library
	Cache   string // directory of compiled programs; "" for none
	GPU     bool   // the plugin is for GPUs; take their memory on demand, not at the start
	// Part and Bytes limit the memory taken on a GPU. If both are 0, the limit is nine tenths.
	Part  float64
	Bytes int64
}

// Opened answers Open.
type Opened struct {
	Platform, PlatformVersion string
	Interface                 string // version of PJRT
	Devices                   []Device
}

// Device is one device of a plugin.
type Device struct {
	Kind     string
	Hardware int   // its number for the driver, or -1
	Used     int64 // used bytes of memory, 0 if unknown
	Limit    int64 // limit of used bytes, 0 if unknown
}

// Compile compiles a module of StableHLO.
type Compile struct {
	ID      int
	Module  string
	Results int // number of results
}

// Compiled answers Compile.
type Compiled struct {
	Cached bool  // the module had been compiled before
	Memory int64 // bytes needed by a run on the device, 0 if unknown
}

// Array is an array on the device, and its place in the shared memory.
type Array struct {
	Buffer   int
	Offset   int // bytes
	Elements int // of 4 bytes
	Unsigned bool
}

// Run runs a computation. Its arguments are buffers, followed by arrays of the shared memory. Its first results
// replace buffers, in order; the others go to the shared memory.
type Run struct {
	ID      int
	Buffers []int
	Args    []Array
	Replace []int
	Results []Array
}

// Shared returns the number of bytes of the shared memory that arrays use.
func Shared(lists ...[]Array) (n int) {
	for _, list := range lists {
		for _, a := range list {
			n = max(n, a.Offset+4*a.Elements)
		}
	}
	return n
}

// Free frees buffers and programs that are no longer needed.
type Free struct {
	Buffers  []int
	Programs []int
}

// Answer answers a request.
type Answer struct {
	Opened   *Opened   `json:",omitempty"`
	Compiled *Compiled `json:",omitempty"`
	Error    string    `json:",omitempty"`
	// Exhausted says that the device lacks memory.
	Exhausted bool `json:",omitempty"`
	// Lost says that the device failed, and may not work for this process any more.
	Lost bool `json:",omitempty"`
}
