package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestHalfCopiedValues checks that of several sessions' files of a value, the complete one is used, whether it is small
// or mapped. If none is complete, the error allows another attempt.
func TestHalfCopiedValues(t *testing.T) {
	for _, size := range []int{100, 4 * 64 << 10} {
		value := bytes.Repeat([]byte("v"), size)
		damaged := bytes.Clone(value)
		damaged[size/2]++
		dir := t.TempDir()
		write := func(session string, b []byte) {
			if err := os.MkdirAll(filepath.Join(dir, session), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, session, "b1"), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write("1", value[:size/2])
		write("2", damaged)
		ask := func() ([]byte, error) {
			b := newBroadcasts()
			b.find(map[engine.BroadcastID]string{"b1": dir + "/*/b1"}, map[engine.BroadcastID]Sum{"b1": SumOf(value)})
			return b.Broadcast("b1")
		}
		if got, err := ask(); err == nil || engine.IsPermanent(err) {
			t.Errorf("%d bytes, none whole: %d, %v", size, len(got), err)
		}
		write("3", value)
		if got, err := ask(); err != nil || !bytes.Equal(got, value) {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
	}
}
