package resident

import (
	"encoding/json"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// lasting is how long certificates of a job are valid: its fits may take weeks, and replacements of workers join late.
const lasting = 90 * 24 * time.Hour

// Secure is for workers in processes of their own. It uses gRPC over TLS with certificates made for the job, or Unix
// sockets between processes of one machine.
var Secure = RegisterTransport("secure", Transport{
	Coordinator: func(job coordination.JobID, o mesh.Options) (mesh.Transport, []byte, error) {
		pair, err := mesh.Issue(mesh.Terms{Job: job, Life: lasting})
		if err != nil {
			return nil, nil, err
		}
		workers, err := json.Marshal(pair.Worker)
		if err != nil {
			return nil, nil, err
		}
		t, err := mesh.NewSecure(pair.Coordinator, o)
		return t, workers, err
	},
	Worker: func(_ coordination.JobID, conf []byte, o mesh.Options) (mesh.Transport, error) {
		var c mesh.Credentials
		if err := json.Unmarshal(conf, &c); err != nil {
			return nil, err
		}
		return mesh.NewSecure(c, o)
	},
})
