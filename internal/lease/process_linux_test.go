package lease

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/dl4go/dl4go/internal/need"
)

// child starts a process that holds the lease of a directory until it is killed.
func child(t *testing.T, dir string, flags uintptr) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestChild$")
	c.Env = append(os.Environ(), "DL4GO_TEST_LEASE="+dir)
	if c.SysProcAttr = (&syscall.SysProcAttr{Cloneflags: flags}); flags != 0 {
		c.Env = append(c.Env, "DL4GO_TEST_MOUNT=1")
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	c.Stderr = os.Stderr
	_, err := c.StdinPipe() // the child ends with this process
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	const remedy = "run the tests as root, who may make namespaces"
	if err := c.Start(); flags != 0 {
		need.From(t, err, remedy)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line == "no mount\n" {
		need.From(t, errors.New("no /proc can be mounted"), remedy)
	} else if err != nil {
		t.Fatalf("the other process said %q, %v", line, err)
	}
	return c
}

// TestChild is the process that child starts.
func TestChild(t *testing.T) {
	dir := os.Getenv("DL4GO_TEST_LEASE")
	if dir == "" {
		return // this is an ordinary test run
	}
	if os.Getenv("DL4GO_TEST_MOUNT") != "" {
		if syscall.Mount("proc", "/proc", "proc", 0, "") != nil {
			os.Stdout.WriteString("no mount\n")
			return
		}
	}
	if _, err := watch(t.Context(), dir, Options{Period: time.Hour}); err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("it has it\n")
	io.Copy(io.Discard, os.Stdin)
}

// kill kills a process whose exit status has not been collected.
func kill(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	const byProcess, exited, leave = 1, 4, 0x1000000
	var info [128]byte
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, byProcess, uintptr(c.Process.Pid), uintptr(unsafe.Pointer(&info)),
			exited|leave, 0, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != 0 {
			t.Fatal(err)
		}
		return
	}
}

// waits checks that the lease is waited for, because its owner is not known to have ended.
func waits(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := false
	if _, err := watch(ctx, dir, Options{Period: time.Hour,
		Waiting: func(Owner, time.Duration) { told = true; cancel() }}); !told || !errors.Is(err, context.Canceled) {
		t.Errorf("it has not waited: %v", err)
	}
}

// atOnce checks that the lease is taken without waiting.
func atOnce(t *testing.T, dir string, token int64) {
	t.Helper()
	l, err := watch(t.Context(), dir, Options{Period: time.Hour,
		Waiting: func(o Owner, _ time.Duration) { t.Errorf("it waits for %v", o) }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.die()
	if l.Token() != token {
		t.Errorf("the token is %d", l.Token())
	}
}

// TestOwnerThatIsGoneFromThisMachine checks that an owner that has ended is not waited for, even if another process has
// its ID now.
func TestOwnerThatIsGoneFromThisMachine(t *testing.T) {
	dir := t.TempDir()
	c := child(t, dir, 0)
	waits(t, dir)
	if state, _, err := Look(context.Background(), dir); err != nil || state != Lives {
		t.Errorf("it is %v, %v", state, err)
	}
	_, r, _, err := read(context.Background(), dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	other := r.Owner
	other.Started = "0" + other.Started
	if state := other.state(); state != Ended {
		t.Errorf("another process has the number now: %v", state)
	}
	for what, change := range map[string]func(*Owner){
		"another machine's":           func(o *Owner) { o.Host += "2" },
		"of another start of it":      func(o *Owner) { o.Numbered = "2" + o.Numbered },
		"of another namespace":        func(o *Owner) { o.Numbered += "2" },
		"of a system that is unknown": func(o *Owner) { o.Numbered = "" },
		"of an unknown start":         func(o *Owner) { o.Started = "" },
		"no process":                  func(o *Owner) { o.Process = 0 },
		"a group":                     func(o *Owner) { o.Process = -1 },
	} {
		o := r.Owner
		change(&o)
		if state := o.state(); state != Unknown {
			t.Errorf("%s: %v", what, state)
		}
	}
	kill(t, c)
	atOnce(t, dir, 2)
	c.Wait()
	if state := r.Owner.state(); state != Ended {
		t.Errorf("it is %v", state)
	}
	c = child(t, t.TempDir(), 0)
	dir = c.Env[len(c.Env)-1][len("DL4GO_TEST_LEASE="):]
	kill(t, c)
	c.Wait()
	atOnce(t, dir, 2)
}

// TestOwnerInAnotherContainer checks that an owner in another container is waited for, dead or alive, because its
// process ID means another process here.
func TestOwnerInAnotherContainer(t *testing.T) {
	dir := t.TempDir()
	c := child(t, dir, syscall.CLONE_NEWUSER|syscall.CLONE_NEWPID|syscall.CLONE_NEWNS)
	_, r, _, err := read(context.Background(), dir, 1)
	if err != nil || r.Process != 1 || r.Numbered == "" || r.Started == "" {
		t.Errorf("it is %+v, %v", r.Owner, err)
	}
	waits(t, dir)
	kill(t, c)
	c.Wait()
	waits(t, dir)
	if state, _, err := Look(context.Background(), dir); err != nil || state != Unknown {
		t.Errorf("it is %v, %v", state, err)
	}
}
