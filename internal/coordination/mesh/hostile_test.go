package mesh

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/mem"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination"
)

// attackTime ends a test that hangs, because a hostile connection never ends by itself.
const attackTime = 5 * time.Minute

// attack is an attack on the coordinator at an address. do returns an error if the attack did harm, and nil if the
// coordinator refused or tolerated it.
type attack struct {
	name string
	do   func(address string) error
}

// refused expects the other side to end the connection after sending no more than a TLS alert, at most most bytes.
func refused(c net.Conn, most int64) error {
	defer c.Close()
	c.SetDeadline(time.Now().Add(attackTime))
	n, err := drain(c)
	if e := net.Error(nil); errors.As(err, &e) && e.Timeout() {
		return fmt.Errorf("the connection still lives after %v", attackTime)
	}
	if n > most {
		return fmt.Errorf("it was answered with %d bytes", n)
	}
	return nil
}

// knocking sends some bytes and expects to be refused.
func knocking(text []byte, most int64) func(string) error {
	return func(address string) error {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		c.Write(text)
		return refused(c, most)
	}
}

// presenting does a TLS handshake with a certificate and expects to be refused.
func presenting(c *tls.Config) func(string) error {
	c.InsecureSkipVerify, c.NextProtos = true, []string{"h2"}
	return func(address string) error {
		conn, err := tls.DialWithDialer(&net.Dialer{Timeout: attackTime}, "tcp", address, c)
		if err != nil {
			return nil
		}
		return refused(conn, 0)
	}
}

// pastFlood calls f again while the 2,000 idle connections cut it off: the coordinator closes the oldest connections
// that have not finished their handshake.
func pastFlood(f func() error) error {
	for {
		if err := f(); err == nil || !gone(err) {
			return err
		}
	}
}

// dialling dials through the transport with wrong credentials.
func dialling(t *testing.T, c Credentials, want string) func(string) error {
	return func(address string) error {
		s := testSecure(t, c, Options{Dial: attackTime, Log: silent})
		defer s.Close()
		err := pastFlood(func() error {
			_, err := s.Dial(t.Context(), Coordinator, address)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), address) {
			return fmt.Errorf("the error is %v", err)
		}
		t.Log(err)
		return nil
	}
}

// insider speaks gRPC with a certificate of the job. Its messages must break only its own link.
func insider(pair Pair, send func(grpc.ClientStream) error) func(string) error {
	return func(address string) error {
		id, err := newIdentity(pair.Worker)
		if err != nil {
			return err
		}
		conf := id.client(Coordinator)
		cc, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(credentials.NewTLS(conf)),
			grpc.WithDefaultCallOptions(grpc.ForceCodecV2(codec{}), grpc.MaxCallSendMsgSize(64<<20)))
		if err != nil {
			return err
		}
		defer cc.Close()
		ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(attackTime))
		defer cancel()
		s, err := cc.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
			"/"+serviceName+"/"+methodName, grpc.WaitForReady(true)) // the flood may cut a handshake off
		if err != nil {
			return err
		}
		if err := send(s); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for in := (frame{limit: 1 << 20}); ; in.reset() {
			if err := s.RecvMsg(&in); err != nil {
				if ctx.Err() != nil {
					return fmt.Errorf("the link still lives after %v", attackTime)
				}
				return nil
			}
		}
	}
}

// parts sends the parts of a message.
func parts(of ...part) func(grpc.ClientStream) error {
	return func(s grpc.ClientStream) error {
		for _, p := range of {
			if err := s.SendMsg(&p); err != nil {
				return err
			}
		}
		return nil
	}
}

// messages sends valid messages of a job.
func messages(job coordination.JobID, of ...coordination.Message) func(grpc.ClientStream) error {
	var all []part
	for _, m := range of {
		all = append(all, part{0, mem.SliceBuffer(coordination.Encode(nil, job, m))})
	}
	return parts(all...)
}

// idle opens many connections that send nothing or begin a handshake. The other side must end them all.
func idle(count int, peak *atomic.Int64) func(string) error {
	return func(address string) error {
		var conns []net.Conn
		for n := range count {
			c, err := net.Dial("tcp", address)
			if err != nil {
				return fmt.Errorf("connection %d: %w", n, err)
			}
			if n%2 == 1 {
				c.Write([]byte{22, 3, 1, 2, 0, 1}) // the beginning of a ClientHello
			}
			conns = append(conns, c)
		}
		peak.Store(memory())
		for _, c := range conns {
			if err := refused(c, 7); err != nil {
				return err
			}
		}
		return nil
	}
}

// memory returns the memory in use after a garbage collection.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestAttacks checks that a run continues and its result is right while its coordinator is attacked and the connections
// of two of its workers are tampered with.
func TestAttacks(t *testing.T) {
	a, err := newAuthority(testJob, time.Now().Add(-skew), time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	certify := func(a *authority, r Role, from, to time.Duration) Credentials {
		c, err := a.certify(r, time.Now().Add(from), time.Now().Add(to))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	pair := Pair{certify(a, Coordinator, -time.Hour, time.Hour), certify(a, Worker, -time.Hour, time.Hour)}
	foreign := testPair(t, testJob) // another run, with the same name
	foreign.Worker.Authority = pair.Worker.Authority
	expired, early := certify(a, Worker, -2*time.Hour, -time.Minute), certify(a, Worker, time.Hour, 2*time.Hour)
	with := func(c Credentials) *tls.Config {
		id, err := newIdentity(c)
		if err != nil {
			t.Fatal(err)
		}
		return &tls.Config{Certificates: []tls.Certificate{id.certificate}}
	}
	old := with(pair.Worker)
	old.MaxVersion = tls.VersionTLS12
	var peak atomic.Int64
	someone := coordination.Peer{Worker: 1, Incarnation: 1}
	attacks := []attack{
		{"plaintext HTTP/2", knocking([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"), 7)},
		{"noise", knocking([]byte(strings.Repeat("noise", 10_000)), 7)},
		{"no certificate", presenting(&tls.Config{})},
		{"another job's certificate", presenting(with(foreign.Worker))},
		{"an expired certificate", presenting(with(expired))},
		{"a certificate of tomorrow", presenting(with(early))},
		{"the coordinator's own certificate", presenting(with(pair.Coordinator))},
		{"an old protocol", presenting(old)},
		{"a worker of another job", dialling(t, foreign.Worker, "another job")},
		{"a worker that is late", dialling(t, expired, "no longer valid")},
		{"another job's coordinator", dialling(t, testPair(t, testJob).Worker, "not of this job")},
		{"a certificate, and then silence", func(address string) error {
			conf := with(pair.Worker)
			conf.InsecureSkipVerify, conf.NextProtos = true, []string{"h2"}
			var c net.Conn
			err := pastFlood(func() (err error) {
				c, err = tls.Dial("tcp", address, conf)
				return err
			})
			if err != nil {
				return err
			}
			return refused(c, 1<<10) // allows for gRPC's settings
		}},
		{"an oversized frame", insider(pair, parts(part{1 << 40, mem.SliceBuffer("x")}))},
		{"an endless frame", insider(pair, func(s grpc.ClientStream) error {
			for rest := 600 << 10; ; rest -= 1 << 10 {
				if err := parts(part{rest, mem.SliceBuffer(make([]byte, 1<<10))})(s); err != nil || rest == 0 {
					return err
				}
			}
		})},
		{"parts that don't fit", insider(pair, parts(part{100, mem.SliceBuffer("x")}, part{50, mem.SliceBuffer("x")}))},
		{"empty parts", insider(pair, parts(part{100, mem.SliceBuffer("x")}, part{100, mem.SliceBuffer(nil)}))},
		{"a message of gRPC that is too long", insider(pair, parts(part{0, mem.SliceBuffer(make([]byte, 32<<20))}))},
		{"garbage", insider(pair, parts(part{0, mem.SliceBuffer("\x01\x05garbage, not a message")}))},
		{"another job's message", insider(pair, messages(coordination.JobID{'x'}, &coordination.Beat{}))},
		{"a message without a greeting", insider(pair,
			messages(testJob, &coordination.Update{Peer: someone, Seq: 1, Payload: vector{1}.bytes()}))},
		{"silence", insider(pair, messages(testJob))},
		{"2,000 idle connections", idle(2000, &peak)},
	}

	before := memory()
	var left atomic.Int64
	var group sync.WaitGroup
	var address string
	proxies := map[int]*proxy{}
	r := &testRun{t: t, mode: coordination.Plain, padding: 5_000, more: func() bool { return left.Load() > 0 },
		transport: func(r Role) Transport {
			return testSecure(t, pair.of(r), Options{MaxMessage: 512 << 10, Handshake: 5 * time.Second, Log: silent})
		}}
	begin := func(a attack) {
		left.Add(1)
		group.Go(func() {
			defer left.Add(-1)
			if err := a.do(address); err != nil {
				t.Errorf("%s: %v", a.name, err)
			}
		})
	}
	r.listening = func(at string) {
		address = at
		flipped, replayed := newProxy(t, at), newProxy(t, at)
		proxies[2], proxies[3] = flipped, replayed
		// One byte is changed on the way up, and in the next connection one on the way down.
		flipped.mangle = func(n int, up bool, offset int, b []byte) {
			if at := 30_000 - offset; (n == 0 && up || n == 1 && !up) && at >= 0 && at < len(b) {
				b[at] ^= 0x10
			}
		}
		for _, a := range attacks {
			begin(a)
		}
		begin(attack{"a replay", func(address string) error {
			await.Until(t, "something to be replayed", func() (any, bool) {
				n := len(replayed.record())
				return n, n >= 50_000
			})
			return knocking(replayed.record(), 4096)(address) // the server's part of a handshake
		}})
		begin(attack{"changed bytes", func(string) error {
			await.Until(t, "the worker's third connection", func() (any, bool) {
				n := flipped.connections()
				return n, n >= 3
			})
			return nil
		}})
	}
	r.to = func(worker int) string {
		if p := proxies[worker]; p != nil {
			return p.Addr().String()
		}
		return address
	}
	r.after = func() {
		group.Wait()
		for _, p := range proxies {
			p.end()
		}
	}
	r.run()
	grown := peak.Load() - before
	t.Logf("memory grew by %d KiB at most", grown>>10)
	if grown > detector*64<<20 {
		t.Errorf("2,000 idle connections and the run take %d MiB", grown>>20)
	}
}
