package mesh

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/await"
)

// TestPlace checks which setting decides the address, and that the advertised port is the real one.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		name  string
		void  string // the environment variable
		place Place
		host  string // expected
		bind  string
		err   string
	}{
		{name: "nothing", host: "127.0.0.1", bind: "127.0.0.1"},
		{name: "a host of this machine", place: Place{Host: "127.0.0.1", Mask: "10.0.0.0/8"}, void: "1.2.3.4",
			host: "127.0.0.1", bind: "127.0.0.1"},
		{name: "a loopback address", place: Place{Host: "127.0.0.3"}, host: "127.0.0.3", bind: "127.0.0.3"},
		{name: "a host that a router maps", place: Place{Host: "203.0.113.9"}, host: "203.0.113.9", bind: "::"},
		{name: "a name", place: Place{Host: "gateway.example.com"}, host: "gateway.example.com", bind: "::"},
		{name: "this machine's name for itself", place: Place{Host: "localhost"}, host: "localhost", bind: "127.0.0.1"},
		{name: "a mask", place: Place{Mask: "127.0.0.0/8", Toward: "192.0.2.1:1"}, void: "1.2.3.4", host: "127.0.0.1",
			bind: "127.0.0.1"},
		{name: "a mask without an interface", place: Place{Mask: "198.51.100.0/24"},
			err: "no address in the network 198.51.100.0/24, only"},
		{name: "no mask", place: Place{Mask: "10.1.0.0"}, err: "such as 10.1.0.0/16"},
		{name: "the environment", void: "127.0.0.1", place: Place{Toward: "192.0.2.1:1"}, host: "127.0.0.1",
			bind: "127.0.0.1"},
		{name: "the way to a peer", place: Place{Toward: "127.0.0.1:4040"}, host: "127.0.0.1", bind: "127.0.0.1"},
		{name: "no way to a peer", place: Place{Toward: "nobody.invalid:4040"}, err: "no route to nobody.invalid:4040"},
		{name: "no port", place: Place{Port: 70000}, err: "70000 is not a port"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(voidIP, c.void)
			l, address, err := c.place.listen()
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			at := l.Addr().(*net.TCPAddr)
			if want := net.JoinHostPort(c.host, strconv.Itoa(at.Port)); address != want || at.Port == 0 {
				t.Errorf("advertised is %s, not %s", address, want)
			}
			if bind := at.IP.String(); bind != c.bind && !(at.IP.IsUnspecified() && c.bind == "::") {
				t.Errorf("it listens at %s, not %s", bind, c.bind)
			}
		})
	}
}

// TestPlacePort checks that the error for a used port names the port.
func TestPlacePort(t *testing.T) {
	l, address, err := Place{}.listen()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	if _, _, err := (Place{Port: n}).listen(); err == nil || !strings.Contains(err.Error(), "port "+port) {
		t.Errorf("a port that is taken gives %v", err)
	}
	l.Close()
	var again net.Listener
	await.Until(t, "the port to be free", func() (any, bool) { // another process may have it for a while
		again, address, err = Place{Port: n}.listen()
		return err, err == nil
	})
	if again.Close(); !strings.HasSuffix(address, ":"+port) {
		t.Errorf("it listens at %s, not at port %s", address, port)
	}
}
