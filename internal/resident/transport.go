package resident

import (
	"strings"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/internal/registry"
)

// Transport connects the coordinator and the workers of a job. Both functions are called in programs that have
// registered it, once for each process of a job. (Deeplearning4j: Transport.)
type Transport struct {
	// Coordinator makes the coordinator's side, and the settings from which Worker makes the workers' side. The
	// settings may be secret: they go to the workers with their configuration.
	Coordinator func(job coordination.JobID, o mesh.Options) (t mesh.Transport, workers []byte, err error)
	Worker      func(job coordination.JobID, conf []byte, o mesh.Options) (mesh.Transport, error)
}

// TransportKind is a registered transport. The zero value stands for the engine's: InMemory for local[N], Secure if
// workers are processes of their own.
type TransportKind struct{ name string }

// RegisterTransport makes a transport known to drivers and workers. Call it to initialise a package variable. It panics
// if the name is taken.
func RegisterTransport(name string, t Transport) TransportKind {
	transports.Add(name, t)
	return TransportKind{name}
}

var transports = registry.New[Transport]("transport of resident workers")

// Find returns the transport, for transports that wrap it.
func (k TransportKind) Find() (Transport, error) {
	return transports.Find(k.name)
}

// On returns the kind that an engine's workers use.
func (k TransportKind) On(e engine.Engine) TransportKind {
	if k.name != "" {
		return k
	}
	if strings.HasPrefix(e.Master(), "local") {
		return InMemory
	}
	return Secure
}

// InMemory passes messages on inside the process.
var InMemory = RegisterTransport("memory", Transport{
	Coordinator: func(job coordination.JobID, o mesh.Options) (mesh.Transport, []byte, error) {
		return networks.of(job).Transport(mesh.Coordinator, o), nil, nil
	},
	Worker: func(job coordination.JobID, _ []byte, o mesh.Options) (mesh.Transport, error) {
		return networks.of(job).Transport(mesh.Worker, o), nil
	},
})

// networks are the in-memory networks of the jobs in this process.
var networks memoryNetworks

type memoryNetworks struct {
	mu    sync.Mutex
	byJob map[coordination.JobID]*mesh.Memory
}

func (m *memoryNetworks) of(job coordination.JobID) *mesh.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byJob == nil {
		m.byJob = map[coordination.JobID]*mesh.Memory{}
	}
	if m.byJob[job] == nil {
		m.byJob[job] = mesh.NewMemory()
	}
	return m.byJob[job]
}

func (m *memoryNetworks) forget(job coordination.JobID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byJob, job)
}
