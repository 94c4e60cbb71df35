package mesh

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
)

// benchLinks runs a benchmark with both ends of a link, for each transport.
func benchLinks(b *testing.B, test func(b *testing.B, worker, coordinator Conn)) {
	pair, err := Issue(Terms{Job: testJob})
	if err != nil {
		b.Fatal(err)
	}
	net := NewMemory()
	for _, kind := range []string{"memory", "secure", "local"} {
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
			l, err := c.Listen(Place{Local: kind == "local"})
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
							u := m.(*coordination.Update)
							err = coordinator.Send(&coordination.Log{Entries: []*coordination.Entry{{Kind: coordination.UpdateEntry,
								Payload: u.Payload}}})
						}
						if err != nil {
							failed <- err
							worker.Abort()
							return
						}
					}
					failed <- nil
				}()
				m := &coordination.Update{Payload: make([]byte, size)}
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

// BenchmarkFlow sends in one direction, as the coordinator sends the log.
func BenchmarkFlow(b *testing.B) {
	benchLinks(b, func(b *testing.B, worker, coordinator Conn) {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
				m := &coordination.Log{Entries: []*coordination.Entry{{Kind: coordination.UpdateEntry,
					Payload: make([]byte, size)}}}
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

// BenchmarkTLS sends the bytes of BenchmarkFlow over TLS alone.
func BenchmarkTLS(b *testing.B) {
	pair, err := Issue(Terms{Job: testJob})
	if err != nil {
		b.Fatal(err)
	}
	server, err1 := newIdentity(pair.Coordinator)
	client, err2 := newIdentity(pair.Worker)
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", server.server())
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			failed := make(chan error, 1)
			go func() {
				c, err := l.Accept()
				buffer := make([]byte, size)
				for n := 0; err == nil && n < b.N; n++ {
					_, err = c.Write(buffer)
				}
				failed <- err
			}()
			c, err := tls.Dial("tcp", l.Addr().String(), client.client(Coordinator))
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			buffer := make([]byte, size)
			b.SetBytes(int64(size))
			b.ResetTimer()
			for range b.N {
				if _, err := io.ReadFull(c, buffer); err != nil {
					b.Fatal(err)
				}
			}
			if err := <-failed; err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkUpdates measures the whole path of an update between two workers' machines, whose steps take no time, and
// their coordinator's. One operation is one update that is committed and applied by both replicas.
func BenchmarkUpdates(b *testing.B) {
	for _, kind := range []string{"memory", "secure"} {
		for _, size := range []int{1 << 10, 10 << 10, 50 << 10} {
			b.Run(fmt.Sprintf("%s/%dKiB", kind, size>>10), func(b *testing.B) {
				net := NewMemory()
				pair, err := Issue(Terms{Job: testJob})
				if err != nil {
					b.Fatal(err)
				}
				open := func(r Role) Transport {
					if kind == "memory" {
						return net.Transport(r, Options{})
					}
					t, err := NewSecure(pair.of(r), Options{})
					if err != nil {
						b.Fatal(err)
					}
					b.Cleanup(func() { t.Close() })
					return t
				}
				const workers = 2
				tc := open(Coordinator)
				l, err := tc.Listen(Place{})
				if err != nil {
					b.Fatal(err)
				}
				c, err := coordination.NewCoordinator(coordination.Config{Job: testJob, Term: 1, Partitions: workers,
					Min: workers}, &model{}, nil)
				if err != nil {
					b.Fatal(err)
				}
				var h *Host
				h, err = NewHost(Config{Machine: c, Transport: tc, Listener: l, Log: silent, Act: func(a coordination.Action) {
					switch a.(type) {
					case coordination.Admitted:
						b.ResetTimer()
					case coordination.EpochDone:
						b.StopTimer()
						h.Post(coordination.Shut{Reason: "done"})
					}
				}})
				if err != nil {
					b.Fatal(err)
				}
				ended := make(chan error, workers+1)
				h.Post(coordination.Open{Begin: true, Params: vector{}.bytes()})
				go func() { ended <- h.Run(b.Context()) }()
				b.SetBytes(int64(size))
				for p := range uint32(workers) {
					t := &toy{padding: size - 8*dims}
					w, err := coordination.NewWorker(coordination.WorkerConfig{Job: testJob, Nonce: uint64(p),
						Coordinator: l.Address(),
						Shares:      []coordination.Share{{Partition: p, Minibatches: uint32(b.N/workers + 1)}}}, t)
					if err != nil {
						b.Fatal(err)
					}
					hw, err := NewHost(Config{Machine: w, Transport: open(Worker), Coordinator: l.Address(), Log: silent,
						Train: func(_ context.Context, a coordination.Train) coordination.Trained { return t.train(a) }})
					if err != nil {
						b.Fatal(err)
					}
					go func() { ended <- hw.Run(b.Context()) }()
				}
				for range workers + 1 {
					if err := <-ended; err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
