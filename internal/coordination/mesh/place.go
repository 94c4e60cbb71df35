package mesh

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"
)

// Place is where a process listens, and the address at which others find it. Host determines it, or else Mask, or else
// the environment's DL4J_VOID_IP, or else Toward. With none of them it is loopback, which no other machine reaches.
type Place struct {
	// Local listens at a Unix socket, for processes of this machine. It overrides all other fields, and needs HasLocal.
	Local bool
	// Near also listens at a Unix socket where there are such (HasLocal). Processes that reach it dial that one, and
	// the others this Place.
	Near bool
	// Host is the name or address that others dial. A router or container may map it to this machine.
	Host string
	// Mask is a network, such as 10.1.0.0/16: the Place takes this machine's address in it (VoidConfiguration's
	// networkMask).
	Mask string
	// Toward is the HOST:PORT of another machine: the Place takes the address from which this machine sends there.
	Toward string
	// Port is where to listen: 0, the default, for a free port.
	Port int
}

// voidIP is Deeplearning4j's environment variable for the address of a machine.
const voidIP = "DL4J_VOID_IP"

// Named reports whether the environment names the address of this machine.
func Named() bool { return os.Getenv(voidIP) != "" }

// listen returns the listener, and the address for others.
func (p Place) listen() (net.Listener, string, error) {
	if p.Local {
		return listenLocal()
	}
	host, bind, err := p.choose()
	if err != nil {
		return nil, "", err
	}
	if p.Port < 0 || p.Port > 65535 {
		return nil, "", fmt.Errorf("mesh: %d is not a port", p.Port)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(bind, strconv.Itoa(p.Port)))
	if err != nil {
		return nil, "", fmt.Errorf("mesh: this process cannot listen on port %d of %s; port 0 takes one that is free: %w",
			p.Port, host, err)
	}
	return l, net.JoinHostPort(host, strconv.Itoa(l.Addr().(*net.TCPAddr).Port)), nil
}

// choose returns the host that others dial, and the address to listen at: that host, if this machine has it, or else
// all addresses.
func (p Place) choose() (host, bind string, err error) {
	given := p.Host
	if given == "" && p.Mask == "" {
		given = os.Getenv(voidIP)
	}
	switch {
	case given != "":
		mine, err := net.InterfaceAddrs()
		if err != nil {
			return "", "", err
		}
		if ip, err := netip.ParseAddr(given); err == nil {
			for _, a := range mine {
				if have, err := netip.ParsePrefix(a.String()); err == nil && have.Contains(ip) &&
					(have.Addr() == ip || ip.IsLoopback()) {
					return given, given, nil
				}
			}
		}
		if given == "localhost" {
			return given, "127.0.0.1", nil
		}
		return given, "", nil
	case p.Mask != "":
		ip, err := inNetwork(p.Mask)
		return ip, ip, err
	case p.Toward != "":
		// Nothing is sent: this asks for the route.
		c, err := net.Dial("udp", p.Toward)
		if err != nil { // TCP alone may have a route
			c, err = net.DialTimeout("tcp", p.Toward, 5*time.Second)
		}
		if err != nil {
			return "", "",
				fmt.Errorf("mesh: this machine has no route to %s, which decides where to listen; name an address in %s: %w",
					p.Toward, voidIP, err)
		}
		defer c.Close()
		ip, _, err := net.SplitHostPort(c.LocalAddr().String())
		return ip, ip, err
	}
	return "127.0.0.1", "127.0.0.1", nil
}

// inNetwork returns this machine's address in a network.
func inNetwork(mask string) (string, error) {
	network, err := netip.ParsePrefix(mask)
	if err != nil {
		return "", fmt.Errorf("mesh: the network mask %q is not a network such as 10.1.0.0/16: %w", mask, err)
	}
	mine, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, a := range mine {
		if have, err := netip.ParsePrefix(a.String()); err == nil && network.Contains(have.Addr()) {
			return have.Addr().String(), nil
		}
	}
	return "", fmt.Errorf("mesh: this machine has no address in the network %s, only %v", mask, mine)
}
