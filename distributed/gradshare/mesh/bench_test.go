package mesh

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/distributed/gradshare"
)

// benchLink gives both ends of a link, by each transport.
func benchLinks(b *testing.B, test func(b *testing.B, worker, coordinator Conn)) {
	pair, err := Issue(Terms{Job: testJob})
	if err != nil {
		b.Fatal(err)
	}
	net := NewMemory()
	for _, kind := range []string{"memory", "secure"} {
		b.Run(kind, func(b *testing.B) {
			open := func(r Role) Transport {
				if kind == "memory" {
					return net.Transport(r, Options{})
				}
				t, err := NewSecure(pair.of(r), Options{})
				if err != nil {
					b.Fatal(err)
				}
				return t
			}
			c, w := open(Coordinator), open(Worker)
			defer c.Close()
			defer w.Close()
			l, err := c.Listen(Place{})
			if err != nil {
				b.Fatal(err)
			}
			accepted := make(chan Conn, 1)
			go func() {
				conn, _ := l.Accept()
				accepted <- conn
			}()
			dialled, err := w.Dial(b.Context(), Coordinator, l.Address())
			if err != nil {
				b.Fatal(err)
			}
			test(b, dialled, <-accepted)
		})
	}
}

var benchSizes = []int{1 << 10, 50 << 10, 2 << 20}

// BenchmarkRoundTrip sends an update up and waits for it to come down in the log, as a step does.
func BenchmarkRoundTrip(b *testing.B) {
	benchLinks(b, func(b *testing.B, worker, coordinator Conn) {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
				failed := make(chan error, 1)
				go func() {
					for range b.N {
						m, err := coordinator.Receive(func() {})
						if err == nil {
							u := m.(*gradshare.Update)
							err = coordinator.Send(&gradshare.Log{Entries: []*gradshare.Entry{{Kind: gradshare.UpdateEntry, Payload: u.Payload}}})
						}
						if err != nil {
							failed <- err
							worker.Abort()
							return
						}
					}
					failed <- nil
				}()
				m := &gradshare.Update{Payload: make([]byte, size)}
				b.SetBytes(int64(2 * size))
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					if err := worker.Send(m); err != nil {
						b.Fatal(err)
					}
					if _, err := worker.Receive(func() {}); err != nil {
						b.Fatal(errors.Join(err, <-failed))
					}
				}
			})
		}
	})
}

// BenchmarkFlow sends in one direction, as the log is.
func BenchmarkFlow(b *testing.B) {
	benchLinks(b, func(b *testing.B, worker, coordinator Conn) {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
				m := &gradshare.Log{Entries: []*gradshare.Entry{{Kind: gradshare.UpdateEntry, Payload: make([]byte, size)}}}
				b.SetBytes(int64(size))
				b.ReportAllocs()
				b.ResetTimer()
				failed := make(chan error, 1)
				go func() {
					for range b.N {
						if err := coordinator.Send(m); err != nil {
							failed <- err
							worker.Abort()
							return
						}
					}
					failed <- nil
				}()
				for range b.N {
					if _, err := worker.Receive(func() {}); err != nil {
						b.Fatal(errors.Join(err, <-failed))
					}
				}
				if err := <-failed; err != nil {
					b.Fatal(err)
				}
			})
		}
	})
}
