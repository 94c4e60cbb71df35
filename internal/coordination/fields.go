package coordination

import (
	"fmt"
	"math"
)

// coder writes, counts or reads the fields of messages and checkpoints. A type lists its fields in one method, by name
// and address, in the order of the wire. So both directions are the same, and the order of the fields in the Go struct
// has no meaning. testdata/fields.txt has all the lists; a test compares them.
type coder struct {
	w *writer
	r *reader // nil: fields are written
	// seen, unless nil, is called with each field.
	seen func(name, form string, field any)
}

func (c *coder) note(name, form string, field any) {
	if c.seen != nil {
		c.seen(name, form, field)
	}
}

func (c *coder) uint(name string, v *uint64) {
	if c.note(name, "uint", v); c.r != nil {
		*v = c.r.uint()
		return
	}
	c.w.uint(*v)
}

func (c *coder) uint32(name string, v *uint32) {
	if c.note(name, "uint32", v); c.r != nil {
		*v = c.r.uint32()
		return
	}
	c.w.uint32(*v)
}

func (c *coder) fixed64(name string, v *uint64) {
	if c.note(name, "fixed64", v); c.r != nil {
		*v = c.r.fixed64()
		return
	}
	c.w.fixed64(*v)
}

func (c *coder) float(name string, v *float64) {
	if c.note(name, "float", v); c.r != nil {
		*v = math.Float64frombits(c.r.fixed64())
		return
	}
	c.w.fixed64(math.Float64bits(*v))
}

func (c *coder) bool(name string, v *bool) {
	if c.note(name, "bool", v); c.r != nil {
		*v = c.r.bool()
		return
	}
	c.w.bool(*v)
}

func (c *coder) string(name string, v *string) {
	if c.note(name, "string", v); c.r != nil {
		*v = c.r.string()
		return
	}
	c.w.string(*v)
}

// bytes reads a slice of the frame, without copying it.
func (c *coder) bytes(name string, v *[]byte) {
	if c.note(name, "bytes", v); c.r != nil {
		*v = c.r.bytes()
		return
	}
	c.w.bytes(*v)
}

// optional distinguishes nil from an empty slice.
func (c *coder) optional(name string, v *[]byte) {
	if c.note(name, "optional", v); c.r != nil {
		*v = c.r.optional()
		return
	}
	c.w.optional(*v)
}

func (c *coder) uints(name string, v *[]uint32) {
	if c.note(name, "uints", v); c.r != nil {
		*v = c.r.uints()
		return
	}
	c.w.uints(*v)
}

func (c *coder) peer(name string, p *Peer) {
	c.note(name, "peer", p)
	c.uint32("Worker", &p.Worker)
	c.uint32("Incarnation", &p.Incarnation)
}

func (c *coder) job(name string, v *JobID) {
	if c.note(name, "bytes", v); c.r == nil {
		c.w.bytes(v[:])
		return
	}
	if job := c.r.bytes(); len(job) == len(v) {
		copy(v[:], job)
	} else {
		c.r.fail("a job's ID has another length")
	}
}

// list codes the length of a list: it writes n, or returns the length that it reads. Each element takes at least a
// byte.
func (c *coder) list(name string, field any, n int) int {
	if c.note(name, "list", field); c.r != nil {
		return c.r.count()
	}
	c.w.uint(uint64(n))
	return n
}

// failed reports whether reading has failed.
func (c *coder) failed() bool { return c.r != nil && c.r.err != nil }

// message goes through a message's fields. The calls are direct ones, which take no memory.
func (c *coder) message(m Message) {
	switch m := m.(type) {
	case *Hello:
		m.fields(c)
	case *Welcome:
		m.fields(c)
	case *Refuse:
		m.fields(c)
	case *Snapshot:
		m.fields(c)
	case *Update:
		m.fields(c)
	case *Beat:
		m.fields(c)
	case *Pulse:
		m.fields(c)
	case *StateRequest:
		m.fields(c)
	case *State:
		m.fields(c)
	case *Follow:
		m.fields(c)
	case *Attach:
		m.fields(c)
	case *Log:
		m.fields(c)
	case *Behind:
	case *Orphan:
		m.fields(c)
	case *Part:
		m.fields(c)
	case *Got:
		m.fields(c)
	case *Target:
		m.fields(c)
	case *Leave:
		m.fields(c)
	case *Bye:
		m.fields(c)
	default:
		panic(fmt.Sprintf("a %T has no fields", m))
	}
}

// blank makes an empty message of a kind; nil if there is none.
func blank(k kind) Message {
	switch k {
	case kindHello:
		return &Hello{}
	case kindWelcome:
		return &Welcome{}
	case kindRefuse:
		return &Refuse{}
	case kindSnapshot:
		return &Snapshot{}
	case kindUpdate:
		return &Update{}
	case kindBeat:
		return &Beat{}
	case kindPulse:
		return &Pulse{}
	case kindStateRequest:
		return &StateRequest{}
	case kindState:
		return &State{}
	case kindFollow:
		return &Follow{}
	case kindAttach:
		return &Attach{}
	case kindLog:
		return &Log{}
	case kindBehind:
		return &Behind{}
	case kindOrphan:
		return &Orphan{}
	case kindPart:
		return &Part{}
	case kindGot:
		return &Got{}
	case kindTarget:
		return &Target{}
	case kindLeave:
		return &Leave{}
	case kindBye:
		return &Bye{}
	}
	return nil
}
