package parquet

import (
	"errors"
	"fmt"
	"strconv"
)

// The encodings of values.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingBitPacked       = 4
	encodingDelta           = 5
	encodingDeltaLength     = 6
	encodingDeltaBytes      = 7
	encodingDictionary      = 8
	encodingSplit           = 9
)

func encodingName(e int) string {
	names := []string{"PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
		"DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"}
	if e >= 0 && e < len(names) {
		return names[e]
	}
	return strconv.Itoa(e)
}

// begin makes the decoder of a page's values.
func (c *chunk) begin(encoding int, b []byte) (err error) {
	text := c.physical == physicalBytes || c.physical == physicalFixed
	integer := c.physical == physicalInt32 || c.physical == physicalInt64
	switch {
	case encoding == encodingPlain && c.text:
		c.textSource = &plainTexts{all: string(b)}
	case encoding == encodingPlain:
		c.source = &plain{b: b, physical: c.physical, length: c.length}
	case encoding == encodingDictionary || encoding == encodingPlainDictionary:
		if c.dict == nil && c.texts == nil {
			return errors.New("a page needs a dictionary, and there is none")
		}
		at := hybrid{}
		if len(b) > 0 {
			if b[0] > 32 {
				return errIndex
			}
			at = newHybrid(b[1:], int(b[0]))
		}
		if c.texts != nil {
			c.textSource = &indexedTexts{at: at, dict: c.texts}
			return nil
		}
		c.source = &indexed{at: at, dict: c.dict, size: c.dictSize}
	case encoding == encodingRLE && c.physical == physicalBoolean:
		if len(b) < 4 {
			b = make([]byte, 4)
		}
		c.source = &runs{at: newHybrid(b[4:], 1)}
	case encoding == encodingDelta && integer:
		d := &deltas{}
		if len(b) > 0 {
			d, err = newDeltas(b)
		}
		c.source = deltaInts{d, c.physical == physicalInt64}
	case encoding == encodingDeltaLength && c.physical == physicalBytes, encoding == encodingDeltaBytes && text:
		d := &deltaTexts{}
		if len(b) > 0 {
			d, err = newDeltaTexts(b, encoding == encodingDeltaBytes)
		}
		c.source, c.textSource = d, d
	case encoding == encodingSplit && c.physical != physicalBoolean && c.physical != physicalBytes:
		size := map[int]int{physicalInt32: 4, physicalFloat: 4, physicalInt64: 8, physicalDouble: 8, physicalInt96: 12,
			physicalFixed: c.length}[c.physical]
		c.source = &split{b: b, physical: c.physical, size: size}
	default:
		return fmt.Errorf("a page has the encoding %s, which values of type %s don't have", encodingName(encoding),
			physicalNames[c.physical])
	}
	return err
}
