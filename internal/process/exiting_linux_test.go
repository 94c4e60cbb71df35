package process

import (
	"os"
	"os/exec"
	"testing"

	"github.com/dl4go/dl4go/internal/await"
)

// TestExiting: a process that has ended is known as such before anybody has waited for it. This one goes on.
func TestExiting(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the end of a process", func() (any, bool) { return nil, exiting(cmd.Process.Pid) })
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if exiting(os.Getpid()) {
		t.Error("this process is taken for one that ends")
	}
}
