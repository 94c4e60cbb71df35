package mesh

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Opening a link over a Unix socket, on both sides.

// asks waits until the listening end accepts or refuses the link.
func (c *direct) asks() error {
	var head [directHeader]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n == 0 {
		return nil
	}
	reason := make([]byte, min(n, refusalMost))
	if _, err := io.ReadFull(c.in, reason); err != nil {
		return err
	}
	return errors.New(string(reason))
}

// refuse tells the dialling end why the link is refused.
func (c *direct) refuse(reason error) {
	text := reason.Error()
	text = text[:min(len(text), refusalMost)]
	c.write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...))
	c.wire.Close()
}

// openDirect opens a link on a Unix socket.
func (s *secure) openDirect(ctx context.Context, w *wire, name string) (Conn, error) {
	c := newDirect(s, w, name)
	halt := context.AfterFunc(ctx, func() { w.Close() })
	err := c.asks()
	if !halt() {
		return nil, ctx.Err()
	}
	if err == nil {
		err = s.keep(c, nil)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// serveDirect accepts links from a Unix socket until the gate is shut.
func (l *secureListener) serveDirect() {
	defer close(l.served)
	var group sync.WaitGroup
	defer group.Wait()
	for {
		c, err := l.gate.Accept()
		if err != nil {
			return
		}
		group.Go(func() { l.takeDirect(c.(*wire)) })
	}
}

// takeDirect accepts a link, and keeps it until Accept is called.
func (l *secureListener) takeDirect(w *wire) {
	c := newDirect(l.transport, w, fmt.Sprintf("the %s at %s", Worker, w.RemoteAddr()))
	if err := l.transport.keep(c, l); err != nil {
		c.refuse(err)
		return
	}
	if c.write(make([]byte, directHeader)) != nil {
		c.Abort()
		return
	}
	select {
	case l.arrived <- c:
	case <-w.closed:
	case <-l.gate.shut:
		c.Abort()
	}
}
