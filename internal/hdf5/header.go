package hdf5

// The types of header messages that are read.
const (
	spaceMessage        = 0x01
	linkInfoMessage     = 0x02
	typeMessage         = 0x03
	linkMessage         = 0x06
	externalMessage     = 0x07
	layoutMessage       = 0x08
	filterMessage       = 0x0b
	attributeMessage    = 0x0c
	continuationMessage = 0x10
	symbolTableMessage  = 0x11
	attributeInfo       = 0x15
)

// maxMessages bounds the messages of an object.
const maxMessages = 1 << 16

// message is a message of an object header.
type message struct {
	kind int
	body *cursor
}

// object is the content of a header: a group or an array.
type object struct {
	f        *File
	path     string
	messages []message
}

// readObject reads the header at an address.
func (f *File) readObject(address uint64, path string) (*object, error) {
	o := &object{f: f, path: path}
	head, err := f.cursorUpTo(address, 64)
	if err != nil {
		return nil, o.in(err)
	}
	if string(head.b[:min(4, len(head.b))]) == "OHDR" {
		return o, o.in(o.second(address, head))
	}
	return o, o.in(o.first(address, head))
}

// block is a part of a header.
type block struct{ address, size uint64 }

// first reads a version-1 header.
func (o *object) first(address uint64, head *cursor) error {
	if v := head.u8(); v != 1 && head.err == nil {
		return errorAt(int64(address), "no object header is here (version %d)", v)
	}
	head.skip(1)
	count := int(head.u16())
	head.skip(4)
	blocks := []block{{address + 16, uint64(head.u32())}}
	if head.err != nil {
		return head.err
	}
	for i := 0; i < len(blocks) && len(o.messages) < count; i++ {
		c, err := o.f.cursor(blocks[i].address, blocks[i].size)
		if err != nil {
			return err
		}
		for c.left() >= 8 && len(o.messages) < count {
			kind, size, flags := int(c.u16()), int(c.u16()), c.u8()
			c.skip(3)
			if blocks, err = o.add(c, kind, size, flags, blocks); err != nil {
				return err
			}
		}
	}
	return nil
}

// second reads a version-2 header.
func (o *object) second(address uint64, head *cursor) error {
	head.signature("OHDR", 2)
	flags := head.u8()
	if flags&0x20 != 0 {
		head.skip(16)
	}
	if flags&0x10 != 0 {
		head.skip(4)
	}
	size := head.number(1 << (flags & 3))
	if head.err != nil {
		return head.err
	}
	blocks := []block{{address + uint64(head.pos), size}}
	for i := 0; i < len(blocks); i++ {
		c, err := o.f.cursor(blocks[i].address, blocks[i].size)
		if err != nil {
			return err
		}
		if i > 0 {
			if got := string(c.take(4)); got != "OCHK" {
				return errorAt(int64(c.at), "\"OCHK\" should be here, not %q", got)
			}
			c.b = c.b[:max(c.pos, len(c.b)-4)] // the checksum
		}
		for c.left() >= 4 {
			kind, length, mark := int(c.u8()), int(c.u16()), c.u8()
			if flags&4 != 0 {
				c.skip(2)
			}
			if blocks, err = o.add(c, kind, length, mark, blocks); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a message, and returns the blocks, including the one that a continuation refers to.
func (o *object) add(c *cursor, kind, size int, flags byte, blocks []block) ([]block, error) {
	at := uint64(c.place())
	body := &cursor{b: c.take(size), at: at, offsets: c.offsets, lengths: c.lengths}
	if c.err != nil {
		return nil, c.err
	}
	if flags&2 != 0 && kind == typeMessage {
		return nil, errorAt(int64(at), "the type is a committed one of another object, which is not read")
	}
	if flags&2 != 0 && kind != continuationMessage {
		return nil, errorAt(int64(at), "the message is shared with another object, which is not read")
	}
	if len(o.messages) >= maxMessages {
		return nil, errorAt(int64(at), "the object has more than %d messages", maxMessages)
	}
	o.messages = append(o.messages, message{kind, body})
	if kind == continuationMessage {
		blocks = append(blocks, block{body.address(), body.length()})
		return blocks, body.err
	}
	return blocks, nil
}

// find returns the first message of a kind, from its start; nil if there is none.
func (o *object) find(kind int) *cursor {
	for _, m := range o.messages {
		if m.kind == kind {
			c := *m.body
			c.pos = 0
			return &c
		}
	}
	return nil
}

// in adds the object's name to an error.
func (o *object) in(err error) error {
	e, ok := err.(*Error)
	if !ok || e.Path != "" {
		return err
	}
	named := *e
	named.Path = o.path
	return &named
}
