package await

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hanging is a test that ends with its message.
type hanging struct {
	testing.TB
	said string
}

func (h *hanging) Helper() {}

func (h *hanging) Fatalf(format string, args ...any) {
	h.said = fmt.Sprintf(format, args...)
	panic(h)
}

// TestWaitsEnd: a wait lasts as long as needed. A wait for something that never comes ends the test, and says what was
// there and what all goroutines do.
func TestWaitsEnd(t *testing.T) { synctest.Test(t, waitsEnd) }

func waitsEnd(t *testing.T) {
	for name, wait := range map[string]func(t testing.TB, comes time.Duration){
		"Until": func(t testing.TB, comes time.Duration) {
			at := time.Now().Add(comes)
			Until(t, "it", func() (any, bool) { return "half of it", !time.Now().Before(at) })
		},
		"From": func(t testing.TB, comes time.Duration) {
			c := make(chan bool, 1)
			time.AfterFunc(comes, func() { c <- true })
			From(t, "it", c)
		},
	} {
		wait(&hanging{}, hangs-time.Minute)
		func() {
			defer func() {
				h, ok := recover().(*hanging)
				if !ok || !strings.Contains(h.said, "hangs") || !strings.Contains(h.said, "await.waitsEnd") ||
					name == "Until" && !strings.Contains(h.said, "with half of it") {
					t.Errorf("%s: the test ended with %+v", name, h)
				}
				time.Sleep(2 * hangs) // until the event is too late
			}()
			wait(&hanging{}, hangs+time.Minute)
			t.Errorf("%s did not end", name)
		}()
	}
}
