package numa

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Settle makes this process stay on one node if that has free cores for that many threads, and returns the node. Its
// memory moves there. The cores count as taken until the process ends. A process that has settled has one node, and
// does not move again. It is for worker processes, which compute one replica; calls must not overlap.
func Settle(threads int) (on Node, ok bool) {
	nodes := Here()
	if nodes == nil {
		return Node{}, false
	}
	on, release, ok := claim(nodes, threads, taker("processor"))
	if !ok {
		return Node{}, false
	}
	var before, set unix.CPUSet
	err := unix.SchedGetaffinity(0, &before)
	for _, p := range on.Processors {
		set.Set(p)
	}
	if err == nil {
		err = pin(&set)
	}
	if err != nil { // a sandbox may forbid it: the process stays as it was
		pin(&before)
		release()
		return Node{}, false
	}
	gather(nodes, on)
	return on, true
}

// taker takes processors by sockets, see socketName.
func taker(kind string) func(processor int) (release func(), ok bool) {
	return func(processor int) (func(), bool) {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, false
		}
		if unix.Bind(fd, &unix.SockaddrUnix{Name: socketName(kind, processor)}) != nil {
			unix.Close(fd)
			return nil, false
		}
		return func() { unix.Close(fd) }, true
	}
}

var errRestless = errors.New("new threads come without end")

// pin restricts all threads of this process to the processors. A new thread has the processors of the thread that
// starts it, so no other thread is left once none was found.
func pin(to *unix.CPUSet) error {
	for range 100 {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		settled := true
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil {
				return err
			}
			var at unix.CPUSet
			if err := unix.SchedGetaffinity(id, &at); err == nil && at == *to || err == unix.ESRCH {
				continue
			}
			settled = false
			if err := unix.SchedSetaffinity(id, to); err != nil && err != unix.ESRCH { // it has ended
				return err
			}
		}
		if settled {
			return nil
		}
	}
	return errRestless
}
