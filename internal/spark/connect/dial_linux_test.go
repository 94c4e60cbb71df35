package connect

import (
	"os"
	"strconv"
	"syscall"
	"testing"
)

// TestSilentConnectionsEnd checks that a connection to the server ends if bytes are not acknowledged for 30 s.
func TestSilentConnectionsEnd(t *testing.T) {
	const userTimeout = 18 // TCP_USER_TIMEOUT
	f := startFake(t)
	f.open(t, quick())
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		fd, err := strconv.Atoi(file.Name())
		if err != nil {
			continue
		}
		peer, _ := syscall.Getpeername(fd)
		if to, ok := peer.(*syscall.SockaddrInet4); !ok || to.Port != f.port {
			continue
		}
		found++
		if ms, err := syscall.GetsockoptInt(fd, syscall.IPPROTO_TCP, userTimeout); err != nil ||
			ms != int(unanswered.Milliseconds()) {
			t.Errorf("unacknowledged data ends the connection after %d ms (%v)", ms, err)
		}
	}
	if found != 1 {
		t.Errorf("%d connections to the server", found)
	}
}
