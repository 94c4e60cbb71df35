package enginetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// Common are engines that tests share and leave as they are: opening one on a cluster takes seconds.
type Common struct {
	mu      sync.Mutex
	engines map[string]engine.Engine
}

// Open returns the engine of a master. The first call opens it, with these options.
func (c *Common) Open(t *testing.T, master string, o engine.Options) engine.Engine {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.engines[master]; e != nil {
		return e
	}
	e, err := engine.Open(context.Background(), master, o)
	if err != nil {
		t.Fatal(err)
	}
	if c.engines == nil {
		c.engines = make(map[string]engine.Engine)
	}
	c.engines[master] = e
	return e
}

// Run runs the tests, closes the engines and returns the exit code.
func (c *Common) Run(m *testing.M) int {
	code := m.Run()
	var failed []error
	for _, e := range c.engines {
		failed = append(failed, e.Close())
	}
	if err := errors.Join(failed...); err != nil {
		fmt.Fprintln(os.Stderr, "closing the tests' engines:", err)
		code = 1
	}
	return code
}
