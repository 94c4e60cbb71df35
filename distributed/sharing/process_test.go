package sharing

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/distributed/gradshare/mesh"
	"github.com/dl4go/dl4go/distributed/resident"
	"github.com/dl4go/dl4go/engine"
	_ "github.com/dl4go/dl4go/engine/process"
)

func TestMain(m *testing.M) {
	engine.Main()
	os.Exit(m.Run())
}

// TestProcesses: workers that are processes reach the coordinator, and each other, by TLS.
func TestProcesses(t *testing.T) {
	for _, mode := range []MeshBuildMode{Plain, Mesh} {
		t.Run(string(mode), func(t *testing.T) {
			c := config()
			c.VoidConfiguration.MeshBuildMode = mode
			net := network(t, "mlp", 3)
			m := master(t, c, Options{MinWorkers: 2})
			if err := m.FitEpochs(t.Context(), net, spread(t, open(t, "processes[2]"), 0), 6, nil); err != nil {
				t.Fatal(err)
			}
			if last, a := m.Last(), accuracy(t, net); last.Updates != 6*94 || last.Workers != 2 || a < 0.9 {
				t.Errorf("accuracy %.4f, %+v", a, last)
			}
		})
	}
}

// kill ends a worker's process when it sends the update of a minibatch: before, or after.
type kill struct {
	Partition, Epoch, Ordinal uint32
	After                     bool
}

func (k kill) String() string {
	return fmt.Sprintf("%d at minibatch %d of epoch %d, after %v", k.Partition, k.Ordinal, k.Epoch, k.After)
}

// fatal is Secure, with kills. Each happens once, which a file in Dir marks.
type fatal struct {
	Secure []byte
	Dir    string
	Kills  []kill
}

// killing is what the next job of fatalTransport does.
var killing fatal

var fatalTransport = resident.RegisterTransport("sharing_test.fatal", resident.Transport{
	Coordinator: func(job gradshare.JobID, o mesh.Options) (mesh.Transport, []byte, error) {
		kind, err := resident.Secure.Find()
		if err != nil {
			return nil, nil, err
		}
		t, settings, err := kind.Coordinator(job, o)
		if err != nil {
			return nil, nil, err
		}
		f := killing
		f.Secure = settings
		conf, err := json.Marshal(f)
		return t, conf, err
	},
	Worker: func(job gradshare.JobID, conf []byte, o mesh.Options) (mesh.Transport, error) {
		var f fatal
		if err := json.Unmarshal(conf, &f); err != nil {
			return nil, err
		}
		kind, err := resident.Secure.Find()
		if err != nil {
			return nil, err
		}
		t, err := kind.Worker(job, f.Secure, o)
		return fatalSide{t, &f}, err
	},
})

type fatalSide struct {
	mesh.Transport
	fatal *fatal
}

func (s fatalSide) Dial(ctx context.Context, to mesh.Role, address string) (mesh.Conn, error) {
	c, err := s.Transport.Dial(ctx, to, address)
	if err != nil {
		return nil, err
	}
	return fatalConn{c, s.fatal}, nil
}

type fatalConn struct {
	mesh.Conn
	fatal *fatal
}

func (c fatalConn) Send(m gradshare.Message) error {
	u, ok := m.(*gradshare.Update)
	if !ok {
		return c.Conn.Send(m)
	}
	for i, k := range c.fatal.Kills {
		if k.Partition != u.Partition || k.Epoch != u.Epoch || k.Ordinal != u.Ordinal {
			continue
		}
		mark, err := os.OpenFile(filepath.Join(c.fatal.Dir, fmt.Sprint(i)), os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			break // it has happened
		}
		mark.Close()
		if k.After {
			c.Conn.Send(m)
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			self.Kill()
		}
		select {}
	}
	return c.Conn.Send(m)
}

// TestWorkersKilled: others go on, a replacement does what was not committed, and each minibatch counts once.
func TestWorkersKilled(t *testing.T) {
	for name, kills := range map[string][]kill{
		"first minibatch":           {{0, 0, 0, false}},
		"between send and commit":   {{1, 0, 20, true}, {1, 0, 40, true}},
		"before it sends":           {{0, 0, 30, false}},
		"both, in the second epoch": {{0, 1, 11, false}, {1, 1, 13, true}},
		"last minibatch":            {{0, 1, 46, true}},
	} {
		for _, mode := range []MeshBuildMode{Plain, Mesh} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				killing = fatal{Dir: t.TempDir(), Kills: kills}
				c := config()
				c.VoidConfiguration.MeshBuildMode = mode
				net := network(t, "mlp", 3)
				m := master(t, c, Options{MinWorkers: 2, Transport: fatalTransport})
				if err := m.FitEpochs(t.Context(), net, spread(t, open(t, "processes[2]"), 0), 5, nil); err != nil {
					t.Fatal(err)
				}
				last := m.Last()
				if last.Updates != 5*94 || last.Examples != 5*1497 || last.Workers != 2 {
					t.Errorf("the fit was %+v", last)
				}
				if last.Replaced != len(kills) {
					t.Errorf("%d workers were replaced, %d were killed", last.Replaced, len(kills))
				}
				if a := accuracy(t, net); a < 0.85 {
					t.Errorf("accuracy %.4f", a)
				}
			})
		}
	}
}
