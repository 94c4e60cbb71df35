package jpeg

import (
	"errors"
	"fmt"
)

var errScan = errors.New("the header of a scan is wrong")

// part is a component in a scan.
type part struct {
	*component
	dc, ac *table
	before int16 // the previous block's first coefficient
}

// scan reads the scan whose data begins at content[at], and returns the index of its end.
func (d *Decoder) scan(body, content []byte, at int) (int, error) {
	if len(d.components) == 0 {
		return at, errors.New("it has no header")
	}
	if d.scans++; d.scans > maxScans {
		return at, fmt.Errorf("it has more than %d scans", maxScans)
	}
	if len(body) < 1 || len(body) < 4+2*int(body[0]) || body[0] < 1 || body[0] > 4 {
		return at, errScan
	}
	n := int(body[0])
	r, err := d.refinement(body[1+2*n:], n)
	if err != nil {
		return at, err
	}
	var parts [4]part
	for i := range n {
		if parts[i], err = d.part(body[1+2*i], body[2+2*i], r); err != nil {
			return at, err
		}
		for j := range i {
			if parts[i].component == parts[j].component {
				return at, errScan
			}
		}
	}
	at = d.data.open(content, at)
	return d.blocks(parts[:n], r, content, at)
}

// refinement reads which coefficients a scan has.
func (d *Decoder) refinement(b []byte, components int) (*refinement, error) {
	r := &refinement{first: int(b[0]), last: int(b[1]), shift: uint(b[2] & 15), more: b[2]>>4 > 0}
	if !d.progressive {
		return r, nil // they are not used
	}
	dc := r.first == 0
	if r.last > 63 || r.first > r.last || dc && r.last > 0 || !dc && components > 1 || r.shift > 13 ||
		r.more && int(b[2]>>4) != int(r.shift)+1 {
		return nil, errScan
	}
	return r, nil
}

// part finds a component of a scan, and its tables.
func (d *Decoder) part(id, tables byte, r *refinement) (part, error) {
	for i := range d.components {
		c := &d.components[i]
		if c.id != id {
			continue
		}
		if tables>>4 > 3 || tables&15 > 3 {
			return part{}, errScan
		}
		p := part{component: c, dc: &d.tables[0][tables>>4], ac: &d.tables[1][tables&15]}
		needDC, needAC := true, true
		if d.progressive {
			needDC, needAC = r.first == 0 && !r.more, r.first > 0
		}
		if needDC && !p.dc.known || needAC && !p.ac.known {
			return part{}, errors.New("a Huffman table is missing")
		}
		if !d.quantKnown[c.quant] {
			return part{}, errors.New("a quantization table is missing")
		}
		if !c.begun { // later tables are for other components
			c.begun, c.factors = true, d.quants[c.quant]
		}
		c.seen = c.seen || r.first == 0 || !d.progressive
		return p, nil
	}
	return part{}, errScan
}

// blocks reads all MCUs of a scan. If the scan has one component, its blocks are in row order, without those that only
// pad.
func (d *Decoder) blocks(parts []part, r *refinement, content []byte, at int) (int, error) {
	c := parts[0].component
	wide, high := c.wide/c.h, c.high/c.v
	if len(parts) == 1 {
		wide, high = ceil(c.width, 8), ceil(c.height, 8)
	}
	left, restarts := d.interval, byte(0)
	for y := range high {
		for x := range wide {
			if left == 0 && d.interval > 0 {
				if at+1 >= len(content) || content[at+1] != rst0+restarts&7 {
					return at, errors.New("a restart marker is missing")
				}
				at = d.data.open(content, at+2)
				left, restarts, r.blocks = d.interval, restarts+1, 0
				for i := range parts {
					parts[i].before = 0
				}
			}
			left--
			if err := d.unit(parts, r, x, y); err != nil {
				return at, err
			}
		}
	}
	return at, nil
}

// unit reads an MCU.
func (d *Decoder) unit(parts []part, r *refinement, x, y int) error {
	if len(parts) == 1 {
		return d.block(&parts[0], r, x, y)
	}
	for i := range parts {
		p := &parts[i]
		for v := range p.v {
			for h := range p.h {
				if err := d.block(p, r, x*p.h+h, y*p.v+v); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// block reads a block, and transforms it if it is complete.
func (d *Decoder) block(p *part, r *refinement, x, y int) error {
	if d.progressive {
		b := (*[64]int16)(p.coefs[64*(y*p.wide+x):])
		return r.block(&d.data, b, p.dc, p.ac, &p.before)
	}
	d.coefs = [64]int16{}
	last, err := d.data.sequential(&d.coefs, p.dc, p.ac, &p.before)
	if err != nil {
		return err
	}
	d.inverse(p.component, &d.coefs, last, x, y)
	return nil
}

// inverse transforms a block into samples.
func (d *Decoder) inverse(c *component, coefs *[64]int16, last, x, y int) {
	out := c.plane[8*(y*c.stride()+x):]
	q := &c.factors
	if last == 0 {
		d.kernels.Fill(coefs[0]*q[0], out, c.stride())
		return
	}
	d.kernels.Inverse(coefs, q, out, c.stride())
}

// transformAll computes the samples of a progressive image.
func (d *Decoder) transformAll() {
	for i := range d.components {
		c := &d.components[i]
		for y := range c.high {
			for x := range c.wide {
				d.inverse(c, (*[64]int16)(c.coefs[64*(y*c.wide+x):]), 63, x, y)
			}
		}
	}
}
