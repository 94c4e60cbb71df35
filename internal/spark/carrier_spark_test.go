//go:build spark

package spark

import (
	"os"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestSparkUploadsFillASession checks that rows sent as relations count towards a session's limit, because they stay on
// the server as long as the session.
func TestSparkUploadsFillASession(t *testing.T) {
	e := openHere(t, os.Getenv("DL4GO_SPARK"), engine.Options{})
	first := e.carrier
	const size = 1 << 20
	first.sent.Store(carrierBytes - size)
	rows := engine.Parallelize(e, [][]engine.Row{{engine.Unindexed(make([]byte, size))}}).Persist(engine.MemoryOnly)
	for range 2 {
		if all, err := rows.CollectAll(t.Context()); err != nil || len(all) != 1 || len(all[0].Bytes) != size {
			t.Fatalf("%d rows, %v", len(all), err)
		}
	}
	if e.carrier == first {
		t.Errorf("a session with %d bytes of values and %d of rows goes on", first.sent.Load(), first.session.Uploaded())
	}
}
