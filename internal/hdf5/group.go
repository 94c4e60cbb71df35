package hdf5

import (
	"slices"
	"strings"
)

// maxLinks bounds the members of a group.
const maxLinks = 1 << 20

// Group is a group: members by name, and attributes.
type Group struct {
	*object
	links map[string]link
	names []string
}

// link is a member of a group.
type link struct {
	address uint64
	other   string // the kind of link, if it is not a plain one
}

// Root is the root group.
func (f *File) Root() (*Group, error) {
	o, err := f.readObject(f.root, "/")
	if err != nil {
		return nil, err
	}
	return o.group()
}

// group reads the members.
func (o *object) group() (*Group, error) {
	g := &Group{object: o, links: map[string]link{}}
	return g, o.in(g.read())
}

func (g *Group) read() error {
	if c := g.find(symbolTableMessage); c != nil {
		tree, heap := c.address(), c.address()
		if c.err != nil {
			return c.err
		}
		names, err := g.f.readLocalHeap(heap)
		if err != nil {
			return err
		}
		return g.symbols(tree, names, -1)
	}
	info := g.find(linkInfoMessage)
	if info == nil {
		return errorAt(-1, "it is not a group")
	}
	for _, m := range g.messages {
		if m.kind == linkMessage {
			if err := g.link(m.body); err != nil {
				return err
			}
		}
	}
	info.skip(1)
	if flags := info.u8(); flags&1 != 0 {
		info.skip(8)
	}
	heap, tree := info.address(), info.address()
	if info.err != nil || heap == undefined {
		return info.err
	}
	return g.f.denseRecords(heap, tree, g.link)
}

// put adds a member.
func (g *Group) put(name string, l link, at int64) error {
	switch {
	case name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
		return errorAt(at, "a member of the group is called %.40q", name)
	case len(g.names) >= maxLinks:
		return errorAt(at, "the group has more than %d members", maxLinks)
	}
	if _, twice := g.links[name]; twice {
		return errorAt(at, "the group has two members called %.40q", name)
	}
	g.links[name] = l
	g.names = append(g.names, name)
	return nil
}

// symbols reads a version-1 B-tree whose leaves list members. level is the level of the node; -1 if any is allowed.
func (g *Group) symbols(address uint64, names *localHeap, level int) error {
	f := g.f
	head := 8 + 2*f.offsets
	c, err := f.cursorUpTo(address, uint64(head))
	if err != nil {
		return err
	}
	entries, at, err := f.treeNode(c, 0, level)
	if err != nil {
		return err
	}
	if c, err = f.cursor(address, uint64(head+(entries+1)*f.lengths+entries*f.offsets)); err != nil {
		return err
	}
	c.skip(head)
	for range entries {
		c.length()
		child := c.address()
		if c.err != nil {
			return c.err
		}
		if at > 0 {
			err = g.symbols(child, names, at-1)
		} else {
			err = g.symbolNode(child, names)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// treeNode reads the start of a node of a version-1 B-tree of a kind, at a level (-1: any).
func (f *File) treeNode(c *cursor, kind byte, level int) (entries, at int, err error) {
	got := string(c.take(4))
	of, own := c.u8(), int(c.u8())
	entries = int(c.u16())
	switch {
	case c.err != nil:
		return 0, 0, c.err
	case got != "TREE" || of != kind:
		return 0, 0, errorAt(int64(c.at), "a B-tree should be here, not %q of kind %d", got, of)
	case level >= 0 && own != level, own > 32:
		return 0, 0, errorAt(int64(c.at), "a node of a B-tree has the level %d", own)
	}
	return entries, own, nil
}

// symbolNode reads a leaf.
func (g *Group) symbolNode(address uint64, names *localHeap) error {
	f := g.f
	c, err := f.cursor(address, 8)
	if err != nil {
		return err
	}
	c.signature("SNOD", 1)
	c.skip(1)
	n := int(c.u16())
	if c.err != nil {
		return c.err
	}
	entry := 2*f.offsets + 24
	if c, err = f.cursor(address, uint64(8+n*entry)); err != nil {
		return err
	}
	c.skip(8)
	for range n {
		at := c.place()
		offset, header, kind := c.address(), c.address(), c.u32()
		c.skip(20)
		name, ok := names.name(offset)
		if c.err != nil || !ok {
			return errorAt(at, "the name of a member lies outside of its heap")
		}
		l := link{address: header}
		if kind == 2 {
			l.other = "a soft link"
		}
		if err := g.put(name, l, at); err != nil {
			return err
		}
	}
	return nil
}

// link reads a link message.
func (g *Group) link(c *cursor) error {
	at := int64(c.at)
	if v := c.u8(); v != 1 && c.err == nil {
		return errorAt(at, "a link message of version %d: 1 is known", v)
	}
	flags := c.u8()
	kind := byte(0)
	if flags&8 != 0 {
		kind = c.u8()
	}
	if flags&4 != 0 {
		c.skip(8)
	}
	if flags&16 != 0 {
		c.skip(1)
	}
	n := c.number(1 << (flags & 3))
	if n > uint64(c.left()) {
		return errorAt(at, "the name of a member has %d bytes", n)
	}
	name := string(c.take(int(n)))
	l := link{}
	switch kind {
	case 0:
		l.address = c.address()
	case 1:
		l.other = "a soft link"
	case 64:
		l.other = "a link to another file" + externalFile(c)
	default:
		l.other = "a link of a kind of its own"
	}
	if c.err != nil {
		return c.err
	}
	return g.put(name, l, at)
}

// externalFile returns the name of the file of an external link, in brackets.
func externalFile(c *cursor) string {
	n := int(c.u16())
	b := c.take(min(n, c.left()))
	if len(b) < 2 {
		return ""
	}
	name, _, _ := strings.Cut(string(b[1:]), "\x00")
	if len(name) > 80 {
		name = name[:80] + "…"
	}
	return " (" + strings.ToValidUTF8(name, "?") + ")"
}

// Names lists the members in order.
func (g *Group) Names() []string {
	names := slices.Clone(g.names)
	slices.Sort(names)
	return names
}

// Has reports whether there is a member of that name.
func (g *Group) Has(name string) bool {
	_, ok := g.links[name]
	return ok
}

// Path is the group's path.
func (g *Group) Path() string { return g.path }

// member opens a member by its path below the group.
func (g *Group) member(path string) (*object, error) {
	first, rest, more := strings.Cut(path, "/")
	below := strings.TrimSuffix(g.path, "/") + "/" + first
	l, ok := g.links[first]
	switch {
	case !ok:
		return nil, &Error{-1, below, errMissing}
	case l.other != "":
		return nil, errorIn(below, "it is %s: links are not followed", l.other)
	}
	o, err := g.f.readObject(l.address, below)
	if err != nil || !more {
		return o, err
	}
	in, err := o.group()
	if err != nil {
		return nil, err
	}
	return in.member(rest)
}

// Group opens a group by its path below this one.
func (g *Group) Group(path string) (*Group, error) {
	o, err := g.member(path)
	if err != nil {
		return nil, err
	}
	return o.group()
}

// Array opens an array by its path below this group. Its numbers are read later.
func (g *Group) Array(path string) (*Array, error) {
	o, err := g.member(path)
	if err != nil {
		return nil, err
	}
	return o.array()
}
