package paramavg

import (
	"context"
	"encoding/binary"
	"net"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/stats"
)

// laterServer starts a time server whose clock is ahead by later, and returns its address.
func laterServer(t *testing.T, later time.Duration) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		b := make([]byte, 100)
		for {
			_, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			answer := make([]byte, 48)
			answer[0], answer[1] = 4<<3|4, 1
			copy(answer[24:], b[40:48])
			seconds := uint32(time.Now().Add(later).Unix() + 2208988800)
			binary.BigEndian.PutUint32(answer[32:], seconds)
			binary.BigEndian.PutUint32(answer[40:], seconds)
			if _, err := c.WriteTo(answer, from); err != nil {
				return
			}
		}
	}()
	return c.LocalAddr().String()
}

// TestTimesByServer checks that the events of master and workers have the time server's times, in both ways of running
// rounds.
func TestTimesByServer(t *testing.T) {
	const later = 24 * time.Hour
	source := stats.TimeSource{Server: laterServer(t, later), Timeout: time.Minute}
	for _, way := range []Way{Jobs, Resident} {
		t.Run(string(way), func(t *testing.T) {
			c := config(4, 2)
			c.CollectTrainingStats = true
			m, err := New(c, Options{Rounds: way, Time: source})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			d, err := distributed.FromDataSets(open(t, "local[2]"), single(examples(t, 32)), 2)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Fit(context.Background(), network(t, updater.NewAdam(), nil), d, nil); err != nil {
				t.Fatal(err)
			}
			workers := map[string]bool{}
			for _, e := range m.Stats().Events() {
				workers[e.Worker] = true
				if late := time.Until(e.Start); (late-later).Abs() > time.Hour || e.Duration > time.Hour {
					t.Errorf("%s of %s begins %v after now, and takes %v", e.Phase, e.Worker, late, e.Duration)
				}
			}
			if !workers["master"] || !workers["partition 0"] || !workers["partition 1"] {
				t.Errorf("events of %v", workers)
			}
		})
	}
}

func TestTimeWithoutStatistics(t *testing.T) {
	if _, err := New(config(4, 2), Options{Time: stats.TimeSource{Server: "localhost"}}); err == nil {
		t.Error("a time source without statistics was taken")
	}
}
