package resident

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestSilence: a side that is silent for less than silence is waited for, also in the middle of a frame. Longer silence
// is an error.
func TestSilence(t *testing.T) {
	for pause, lost := range map[time.Duration]bool{silence - time.Second: false, silence + time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			here, there := net.Pipe()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer here.Close()
				for _, b := range []byte("abc") {
					time.Sleep(pause)
					if _, err := here.Write([]byte{b}); err != nil {
						return
					}
				}
			}()
			b := make([]byte, 3)
			err := readAll(there, b)
			if lost && !errors.Is(err, os.ErrDeadlineExceeded) || !lost && (err != nil || string(b) != "abc") {
				t.Errorf("after pauses of %v: %q, %v", pause, b, err)
			}
			there.Close()
			<-ended
		})
	}
}
