package mesh

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination"
)

// TestCut cuts off two workers, as if a network cable were pulled: no bytes arrive and no connection breaks. One worker
// is back before its link is given up, and goes on. The other one dials again, as the same or as a new incarnation. The
// result must be right in both cases.
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
					var cut atomic.Int32 // the number of the connection that is cut in both directions, from 1
					left.Add(1)
					p.mangle = func(n int, up bool, offset int, b []byte) {
						if offset >= 20_000 {
							once.Do(func() {
								cut.Store(int32(n) + 1)
								go func() { // both are back when worker 3 dials again
									await.Until(t, "worker 3 to dial again", func() (any, bool) {
										n := proxies[3].connections()
										return n, n > 1
									})
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

// TestAlive checks that the parts of a long message show that its sender is alive.
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
