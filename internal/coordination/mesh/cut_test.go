package mesh

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination"
)

// TestCut: two workers are cut off, as when a network cable is out: nothing comes through, and nothing breaks. One is
// back before anybody gives it up, and goes on; the other dials again, as what it was or as another incarnation. The
// result is right in both cases.
func TestCut(t *testing.T) {
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			pair := testPair(t, testJob)
			var left sync.WaitGroup
			over := make(chan bool)
			proxies := map[int]*proxy{}
			r := &testRun{t: t, mode: mode, padding: 2_000, kill: true, silence: map[int]time.Duration{3: 2 * time.Second},
				transport: func(r Role) Transport { return testSecure(t, pair.of(r), Options{Log: silent}) },
				more: func() bool {
					select {
					case <-over:
						return false
					default:
						return true
					}
				}}
			r.listening = func(at string) {
				for _, worker := range []int{2, 3} {
					p := newProxy(t, at)
					proxies[worker] = p
					back := make(chan bool)
					var once sync.Once
					var cut atomic.Int32 // the connection, in both directions; from 1 on
					left.Add(1)
					p.mangle = func(n int, up bool, offset int, b []byte) {
						if offset >= 20_000 {
							once.Do(func() {
								cut.Store(int32(n) + 1)
								go func() { // the other one is back when this one is: it has the patience
									await.Until(t, "worker 3 to dial again", func() bool { return proxies[3].connections() > 1 })
									close(back)
									left.Done()
								}()
							})
						}
						if int(cut.Load()) == n+1 {
							<-back
						}
					}
				}
				go func() {
					left.Wait()
					close(over)
				}()
			}
			r.to = func(worker int) string {
				if p := proxies[worker]; p != nil {
					return p.Addr().String()
				}
				return r.address
			}
			r.after = func() {
				if n := proxies[2].connections(); n != 1 {
					t.Errorf("the worker that was cut off for a moment made %d connections", n)
				}
				if n := proxies[3].connections(); n < 2 {
					t.Errorf("the worker that was cut off for long made %d connections", n)
				}
				for _, l := range r.lost {
					if l.Peer.Worker == 0 || l.Peer.Worker == 2 {
						t.Errorf("lost: %v", l)
					}
				}
				for _, p := range proxies {
					p.end()
				}
			}
			r.run()
		})
	}
}

// TestAlive: a long message's parts are signs of life.
func TestAlive(t *testing.T) {
	pair := testPair(t, testJob)
	c, w := testSecure(t, pair.Coordinator, Options{}), testSecure(t, pair.Worker, Options{})
	defer c.Close()
	defer w.Close()
	l, err := c.Listen(Place{})
	if err != nil {
		t.Fatal(err)
	}
	dialled, err := w.Dial(t.Context(), Coordinator, l.Address())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go accepted.Send(&coordination.State{State: make([]byte, 10*partSize)})
	alive := 0
	if _, err := dialled.Receive(func() { alive++ }); err != nil || alive != 10 {
		t.Errorf("%d signs of life, error %v", alive, err)
	}
}
