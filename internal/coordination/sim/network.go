package sim

import (
	"fmt"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
)

// Wire is the speed of connections.
type Wire struct {
	Latency time.Duration
	Jitter  time.Duration // the maximum of a random extra delay
	// Bandwidth of each node's card, in bytes a second, in each direction; 0 is no bound.
	Bandwidth float64
}

// conn is a connection between two nodes. End 0 dialled.
type conn struct {
	ends   [2]*node
	links  [2]coordination.Link
	open   [2]bool          // the end has neither closed it nor noticed a break
	last   [2]time.Duration // when the last message to this end arrives
	logs   [2]int           // Logs that wait to leave
	broken bool             // no more messages arrive
}

// network moves messages between nodes.
type network struct {
	*clock
	wire    Wire
	random  *random.Source
	listen  map[string]*node
	severed map[[2]int]time.Duration // until then, nothing passes between the two nodes
	codec   bool                     // messages are encoded and decoded
	measure bool                     // sizes take time and are counted
	err     error
}

// delay draws a message's delay between two nodes.
func (n *network) delay(a, b *node) time.Duration {
	d := n.wire.Latency + a.far + b.far
	if n.wire.Jitter > 0 {
		d += time.Duration(n.random.Intn(int(n.wire.Jitter)))
	}
	return d
}

// reachable returns when messages can pass between two nodes: now, or later if one is cut off.
func (n *network) reachable(a, b *node) time.Duration {
	return max(n.now, a.cut, b.cut, n.severed[[2]int{min(a.id, b.id), max(a.id, b.id)}])
}

// dial connects if the address listens. If one side is cut off, the dial fails after a while.
func (n *network) dial(from *node, l coordination.Link, address string) {
	to := n.listen[address]
	if n.reachable(from, n.at(to, from)) > n.now || to == nil || !to.alive {
		n.add(happening{at: n.now + n.delay(from, from) + 100*time.Millisecond, what: breaks, node: from,
			event: coordination.Broken{Link: l, Refused: n.reachable(from, from) <= n.now}})
		return
	}
	to.accepted++
	c := &conn{ends: [2]*node{from, to}, links: [2]coordination.Link{l, coordination.Link(2 * to.accepted)},
		open: [2]bool{true, true}}
	from.conns[l], to.conns[c.links[1]] = c, c
	from.order = append(from.order, c)
	to.order = append(to.order, c)
	d := n.delay(from, to)
	c.last[1], c.last[0] = n.now+d, n.now+2*d
	n.add(happening{at: n.now + d, what: connects, conn: c, end: 1, node: to,
		event: coordination.Accepted{Link: c.links[1]}})
	n.add(happening{at: n.now + 2*d, what: connects, conn: c, end: 0, node: from, event: coordination.Connected{Link: l}})
}

func (n *network) at(to, or *node) *node {
	if to == nil {
		return or
	}
	return to
}

// send puts a message on a connection. Messages of a direction arrive in order.
func (n *network) send(from *node, l coordination.Link, msg coordination.Message) {
	c, end := from.conn(l)
	_, isLog := msg.(*coordination.Log)
	leaves := n.now
	if c != nil && c.open[end] {
		to := c.ends[1-end]
		due := n.reachable(from, to) + n.delay(from, to)
		if n.measure {
			size := float64(coordination.Size(msg))
			from.sent += size
			to.received += size
			if n.wire.Bandwidth > 0 {
				d := time.Duration(size / n.wire.Bandwidth * float64(time.Second))
				from.out = max(from.out, n.now) + d
				leaves = from.out
				first := leaves + due - n.now - d
				to.in = max(to.in, first) + d
				due = to.in
			}
		}
		if n.codec {
			if msg = n.through(from, msg); msg == nil {
				n.snap(c, [2]bool{true, true})
				return
			}
		}
		c.last[1-end] = max(c.last[1-end], due)
		n.add(happening{at: c.last[1-end], what: arrives, conn: c, end: 1 - end, node: to, msg: msg})
	}
	if isLog && c != nil {
		if c.logs[end]++; c.logs[end] > 1 && n.err == nil && !from.stranger {
			n.err = fmt.Errorf("node %d gives link %d a second Log before the first was sent", from.id, l)
		}
		n.add(happening{at: leaves, what: isSent, node: from, conn: c, end: end, event: coordination.Sent{Link: l}})
	}
}

// through returns the message after encoding and decoding. A message that can't be decoded breaks the connection; only
// strangers send those.
func (n *network) through(from *node, msg coordination.Message) coordination.Message {
	m, err := coordination.Decode(coordination.Encode(nil, jobID, msg), jobID)
	if err != nil {
		if n.err == nil && !from.stranger {
			n.err = err
		}
		return nil
	}
	return m
}

// shut is one end's Close: earlier messages arrive, and then the other end notices.
func (n *network) shut(from *node, l coordination.Link) {
	c, end := from.conn(l)
	if c == nil || !c.open[end] {
		return
	}
	c.open[end] = false
	c.last[1-end] = max(c.last[1-end], n.reachable(from, c.ends[1-end])+n.delay(from, c.ends[1-end]))
	n.add(happening{at: c.last[1-end], what: breaks, conn: c, end: 1 - end, node: c.ends[1-end],
		event: coordination.Broken{Link: c.links[1-end]}})
}

// snap breaks a connection and loses its messages under way. The ends in tell notice, sooner or later.
func (n *network) snap(c *conn, tell [2]bool) {
	if c.broken {
		return
	}
	c.broken = true
	for end, node := range c.ends {
		if tell[end] {
			n.add(happening{at: n.now + n.delay(c.ends[0], c.ends[1]), what: breaks, conn: c, end: end, node: node,
				event: coordination.Broken{Link: c.links[end]}})
		}
	}
}
