// Package wire is the protocol between dl4go and its device process, dl4go-xla: JSON messages over two pipes, a request
// and its answer at a time. Arrays travel through memory that both map (Memory).
package wire

// The file descriptors of the device process beside its standard ones. Requests come over standard input. Answers
// have a pipe of their own, as plugins may print.
const (
	MemoryFile  = 3
	AnswersFile = 4
)

// Version is that of the protocol. Both sides must have the same.
const Version = 2

// Request asks for one thing: the member that is set.
type Request struct {
	Open    *Open    `json:",omitempty"`
	Compile *Compile `json:",omitempty"`
	Put     *Array   `json:",omitempty"` // an array for the device
	Get     *Array   `json:",omitempty"` // an array from the device
	Run     *Run     `json:",omitempty"`
	Free    *Free    `json:",omitempty"`
}

// Open comes first: it loads a plugin.
type Open struct {
	Version int
	Plugin  string // path of the shared library
	Cache   string // directory of compiled programs; "" for none
	GPU     bool   // whose memory is taken as it is needed, not at the start
	// Part and Bytes are the memory of a GPU that may be taken. If both are 0 it is nine tenths.
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
	Used     int64 // bytes of memory that are taken, 0 if unknown
	Limit    int64 // bytes that can be taken, 0 if unknown
}

// Compile compiles a module of StableHLO.
type Compile struct {
	ID      int
	Module  string
	Results int // how many it has
}

// Compiled answers Compile.
type Compiled struct {
	Cached bool  // the module was compiled before
	Memory int64 // bytes that a run takes on the device, 0 if unknown
}

// Array is an array on the device, and its place in the shared memory.
type Array struct {
	Buffer   int
	Offset   int // bytes
	Elements int // of 4 bytes
	Unsigned bool
}

// Run runs a computation. Its arguments are buffers, then arrays of the shared memory. Its first results replace
// buffers, in order; the others go to the shared memory.
type Run struct {
	ID      int
	Buffers []int
	Args    []Array
	Replace []int
	Results []Array
}

// Shared is how many bytes of the shared memory the run uses.
func (r *Run) Shared() (n int) {
	for _, list := range [][]Array{r.Args, r.Results} {
		for _, a := range list {
			n = max(n, a.Offset+4*a.Elements)
		}
	}
	return n
}

// Free gives back what is no longer needed.
type Free struct {
	Buffers  []int
	Programs []int
}

// Answer answers a request.
type Answer struct {
	Opened   *Opened   `json:",omitempty"`
	Compiled *Compiled `json:",omitempty"`
	Error    string    `json:",omitempty"`
	// Exhausted says that the error is a lack of memory on the device.
	Exhausted bool `json:",omitempty"`
}
