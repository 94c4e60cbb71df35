package spark

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// unpacking makes rows of cells from packed rows.
var unpacking = engine.Register("spark.read query", unpack)

type unpackConfig struct{ Parts []part }

func unpack(_ *engine.Task, conf unpackConfig, in engine.Rows, out engine.Writer) error {
	u := unpacker{parts: conf.Parts}
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		cells, err := u.row(row.Bytes)
		if err != nil {
			return engine.Permanent(err)
		}
		if err := out.Write(engine.Unindexed(cells)); err != nil {
			return err
		}
	}
	return nil
}

// unpacker unpacks one row at a time.
type unpacker struct {
	parts      []part
	head, body []byte
	texts      [][2]string // columns of text and their values, for messages
	numbers    []float32   // of the cell so far
	extents    []int
}

func (u *unpacker) row(row []byte) ([]byte, error) {
	var found bool
	if u.head, u.body, found = bytes.Cut(row, []byte{'\n'}); !found {
		return nil, fmt.Errorf("a row of a query has no head")
	}
	u.texts = u.texts[:0]
	out := make([]byte, 0, len(row)+8*len(u.parts))
	for i, p := range u.parts {
		var err error
		if p.Text {
			out, err = u.text(p, out)
		} else {
			err = u.array(p)
		}
		if last := i == len(u.parts)-1 || u.parts[i+1].Cell != p.Cell; err == nil && last && !p.Text {
			if i > 0 && u.parts[i-1].Cell == p.Cell {
				u.extents = append(u.extents[:0], len(u.numbers))
			}
			out = engine.AppendNumbers(out, u.extents, u.numbers)
			u.numbers = u.numbers[:0]
		}
		if err != nil {
			return nil, err
		}
	}
	if len(u.head) > 0 || len(u.body) > 0 {
		return nil, fmt.Errorf("a row of a query has %d bytes too many", len(u.head)+len(u.body))
	}
	return out, nil
}

// next returns the next number of the head.
func (u *unpacker) next() (int, error) {
	word, rest, _ := bytes.Cut(u.head, []byte{' '})
	u.head = rest
	n, err := strconv.Atoi(string(word))
	if err != nil {
		return 0, fmt.Errorf("a row of a query has the head %q", word)
	}
	return n, nil
}

// take returns the body's next n bytes.
func (u *unpacker) take(n int) ([]byte, error) {
	if n > len(u.body) {
		return nil, fmt.Errorf("a row of a query ends %d bytes too early", n-len(u.body))
	}
	b := u.body[:n:n]
	u.body = u.body[n:]
	return b, nil
}

func (u *unpacker) text(p part, out []byte) ([]byte, error) {
	n, err := u.next()
	if err != nil || n < 0 {
		return engine.AppendText(out, nil), err
	}
	b, err := u.take(n)
	if len(u.texts) < 4 {
		u.texts = append(u.texts, [2]string{p.Columns[0], string(b)})
	}
	return engine.AppendText(out, b), err
}

// array adds the numbers of a part to the cell.
func (u *unpacker) array(p part) error {
	name := p.Columns[0]
	u.extents = u.extents[:0]
	if p.Rank > 1 {
		if err := u.sizes(p); err != nil {
			return err
		}
	}
	n, err := u.next()
	if err != nil {
		return err
	}
	switch {
	case p.Rank == 0 && n < 0:
		return u.null(p.Columns[-n-1])
	case n < 0:
		return u.null(name)
	case n == 0:
		return fmt.Errorf("column %s has an array without elements%s: leave such rows out (WHERE size(%s) > 0)", name,
			u.which(), identifier(name))
	case p.Rank == 1 || p.Rank == 0 && len(p.Columns) > 1:
		u.extents = append(u.extents, n)
	}
	if p.Rank > 0 {
		if nulls, err := u.next(); err != nil {
			return err
		} else if nulls > 0 {
			return fmt.Errorf("column %[1]s has an array with NULL in it%[2]s: leave such rows out (WHERE NOT exists(%[3]s, x "+
				"-> x IS NULL)) or "+
				"give a value (transform(%[3]s, x -> coalesce(x, 0)))", name, u.which(), identifier(name))
		}
	}
	b, err := u.take(4 * n)
	if err != nil {
		return err
	}
	for i := range n {
		x := math.Float32frombits(unmurmur(binary.BigEndian.Uint32(b[4*i:])))
		if x-x != 0 {
			column := name
			if p.Rank == 0 {
				column = p.Columns[i]
			}
			return fmt.Errorf("column %s has %v%s: leave such rows out, or give a value; a float32 has no more than 3.4e38",
				column, x, u.which())
		}
		u.numbers = append(u.numbers, x)
	}
	return nil
}

// sizes reads the extents of arrays in arrays, which must have equal lengths.
func (u *unpacker) sizes(p part) error {
	name := p.Columns[0]
	outer, err := u.next()
	if err == nil && outer < 0 {
		err = u.null(name)
	}
	u.extents = append(u.extents, outer)
	for range p.Rank - 1 {
		var least, most int
		if err == nil {
			least, err = u.next()
		}
		if err == nil {
			most, err = u.next()
		}
		switch {
		case err != nil:
		case least < 0:
			err = fmt.Errorf("column %s has an array with NULL in it%s: leave such rows out, or give a value", name, u.which())
		case least != most:
			err = fmt.Errorf("column %s has an array whose arrays have %d to %d elements%s: they must be alike", name, least,
				most, u.which())
		}
		u.extents = append(u.extents, most)
	}
	return err
}

func (u *unpacker) null(name string) error {
	return fmt.Errorf("column %[1]s is NULL%[2]s: leave such rows out (WHERE %[3]s IS NOT NULL) or give a value "+
		"(coalesce(%[3]s, …))",
		name, u.which(), identifier(name))
}

// which identifies the row in messages.
func (u *unpacker) which() string {
	var all []string
	for _, t := range u.texts {
		all = append(all, t[0]+" = "+excerpt(t[1]))
	}
	if all == nil {
		return " in a row"
	}
	return " in the row with " + strings.Join(all, ", ")
}

var bare = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// identifier returns a column's name as a person would write it in SQL.
func identifier(name string) string {
	if bare.MatchString(name) {
		return name
	}
	return connect.Quote(name)
}

// unmurmur inverts murmur3 for 32 bits: each of its steps is invertible.
func unmurmur(h uint32) uint32 {
	const inv5, inv85, invC2, invCC, inv1B = 0xcccccccd, 0xa5cb9243, 0x7ed1b41d, 0xdee13bb1, 0x56ed309b // modulo 2^32
	h ^= h >> 16
	h *= invC2
	h ^= h>>13 ^ h>>26
	h *= inv85
	h ^= h >> 16
	h ^= 4
	h = (h - 0xe6546b64) * inv5
	k := (bits.RotateLeft32(h, -13) ^ 42) * inv1B
	return bits.RotateLeft32(k, -15) * invCC
}
