// Package jpeg decodes JPEG images: sequential and progressive ones with 8 bits and Huffman codes. The pixels are
// those of libjpeg-turbo with its defaults, bit for bit: the accurate integer transform, and interpolated chroma. So
// they equal those of Pillow and torchvision.
package jpeg

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/pixel"
)

// Decoder decodes one image after the other, and reuses its memory. It must not be used concurrently.
type Decoder struct {
	kernels *pixel.Set
	frame
	tables     [2][4]table // DC and AC
	quants     [4][64]int16
	quantKnown [4]bool
	interval   int // MCUs between two restart markers; 0: no markers
	jfif       bool
	transform  int // from Adobe's marker; -1: no marker
	scans      int
	data       segment
	memory     [4]buffers
	sums       []uint16
	coefs      [64]int16
}

// buffers is the memory of a component.
type buffers struct {
	plane, row []uint8
	coefs      []int16
}

// New makes a decoder with the kernels of a variant that kernel.Available lists.
func New(v kernel.Variant) *Decoder { return &Decoder{kernels: pixel.For(v)} }

// Errors for data that ends too early, and for an unknown code.
var (
	errShort = errors.New("it ends too early")
	errCode  = errors.New("a Huffman code that is not in its table")
)

// maxScans bounds the decoding time of a file. Encoders write fewer than 20 scans.
const maxScans = 1000

// Markers.
const (
	sof0, sof1, sof2 = 0xc0, 0xc1, 0xc2
	dht              = 0xc4
	rst0, rst7       = 0xd0, 0xd7
	soi, eoi         = 0xd8, 0xd9
	sos, dqt, dri    = 0xda, 0xdb, 0xdd
	app0, app14      = 0xe0, 0xee
	tem              = 0x01
)

// Is reports whether content begins like a JPEG file.
func Is(content []byte) bool {
	return len(content) >= 3 && content[0] == 0xff && content[1] == soi && content[2] == 0xff
}

// Decode decodes an image. It calls check with the image's size before it allocates memory, and returns check's error.
// room returns the memory of the pixels: width·height·channels bytes. The pixels are red, green and blue, row by row,
// or grey values if channels is 1.
func (d *Decoder) Decode(content []byte, check func(width, height int) error, room func(bytes int) []uint8) (
	pix []uint8, width, height, channels int, err error) {
	d.reset()
	if err := d.read(content, check); err != nil {
		return nil, 0, 0, 0, err
	}
	if d.progressive {
		d.transformAll()
	}
	channels = 3
	if len(d.components) == 1 {
		channels = 1
	}
	pix = room(d.width * d.height * channels)
	d.output(pix)
	return pix, d.width, d.height, channels, nil
}

func (d *Decoder) reset() {
	for c := range d.components {
		d.memory[c].plane, d.memory[c].coefs = d.components[c].plane, d.components[c].coefs
	}
	for i := range d.tables {
		for j := range d.tables[i] {
			d.tables[i][j].known = false
		}
	}
	d.quantKnown = [4]bool{}
	d.interval, d.jfif, d.transform, d.scans = 0, false, -1, 0
	d.frame = frame{components: d.components[:0]}
}

// read reads the markers up to the end of the image.
func (d *Decoder) read(content []byte, check func(width, height int) error) error {
	at := 2
	for {
		for at+1 < len(content) && (content[at] != 0xff || content[at+1] == 0xff || content[at+1] == 0) {
			at++ // bytes between two segments are ignored
		}
		if at+1 >= len(content) {
			return errShort
		}
		marker := content[at+1]
		at += 2
		switch {
		case marker == eoi:
			return d.complete()
		case marker == tem || marker >= rst0 && marker <= soi:
			continue
		}
		if at+2 > len(content) {
			return errShort
		}
		length := int(binary.BigEndian.Uint16(content[at:]))
		if length < 2 || at+length > len(content) {
			return errShort
		}
		body := content[at+2 : at+length]
		at += length
		err := d.marker(marker, body, check)
		if err == nil && marker == sos {
			at, err = d.scan(body, content, at)
		}
		if err != nil {
			return err
		}
	}
}

// marker reads a segment of the file that is not a scan.
func (d *Decoder) marker(marker byte, body []byte, check func(width, height int) error) error {
	switch {
	case marker == dqt:
		return d.readQuants(body)
	case marker == dht:
		return d.readTables(body)
	case marker == dri:
		if len(body) != 2 {
			return errors.New("a restart interval that is wrong")
		}
		d.interval = int(binary.BigEndian.Uint16(body))
	case marker >= sof0 && marker <= sof2:
		return d.readFrame(body, marker == sof2, check)
	case marker > sof2 && marker <= 0xcf && marker != 0xc8:
		return fmt.Errorf("it is compressed in a way that few programs read (SOF%d): save it as baseline or "+
			"progressive JPEG", marker&15)
	case marker == app0:
		d.jfif = d.jfif || len(body) >= 5 && string(body[:5]) == "JFIF\x00"
	case marker == app14:
		if len(body) >= 12 && string(body[:5]) == "Adobe" {
			d.transform = int(body[11])
		}
	}
	return nil
}

func (d *Decoder) readQuants(body []byte) error {
	for len(body) > 0 {
		size, id := 64, body[0]&15
		if body[0]>>4 == 1 {
			size = 128
		}
		if body[0]>>4 > 1 || id > 3 || len(body) < 1+size {
			return errors.New("a quantization table that is wrong")
		}
		for i := range 64 {
			if size == 64 {
				d.quants[id][natural[i]] = int16(body[1+i])
			} else {
				d.quants[id][natural[i]] = int16(binary.BigEndian.Uint16(body[1+2*i:]))
			}
		}
		d.quantKnown[id] = true
		body = body[1+size:]
	}
	return nil
}

func (d *Decoder) readTables(body []byte) error {
	for len(body) > 0 {
		class, id := body[0]>>4, body[0]&15
		if class > 1 || id > 3 || len(body) < 17 {
			return errHuffman
		}
		n := 0
		for _, count := range body[1:17] {
			n += int(count)
		}
		if n > 256 || len(body) < 17+n {
			return errHuffman
		}
		if err := d.tables[class][id].set(body[1:17], body[17:17+n]); err != nil {
			return err
		}
		body = body[17+n:]
	}
	return nil
}
