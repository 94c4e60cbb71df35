package source

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/tensor"
)

// idxHeadBytes is how much of an IDX file is kept to know its layout: the header, also if the file is gzipped.
const idxHeadBytes = 4 << 10

// idxArrays returns the settings of idx: data as those of arrays.
func idxArrays(n Name) (o npyOptions, err error) {
	images, labels, classes, err := idxOf(n)
	return npyOptions{files: []string{images}, labels: labels, classes: classes, pixels: true}, err
}

// idxPart returns the layout of an IDX file. packed reports that it is gzipped.
func idxPart(path string, head []byte) (part *npy.Part, packed bool, err error) {
	r, err := newIDXReader(bytes.NewReader(head), -1)
	if err != nil {
		return nil, false, dl4j.In(err, path, "")
	}
	return npy.Bytes(r.shape, r.start), bytes.HasPrefix(head, gzipMagic), nil
}

// gzipMagic begins each gzip file.
var gzipMagic = []byte{0x1f, 0x8b}

// checkPixels checks that the files hold images and as many labels.
func (a *Arrays) checkPixels() error {
	x, y := a.parts[0].Shape(), tensor.Shape{a.parts[0].Shape()[0]}
	labels := ""
	if len(a.parts) > 1 {
		y, labels = a.parts[1].Shape(), a.files[1]
	}
	return checkIDX(a.files[0], labels, x, y)
}

// unzipped returns the bytes from … to-1 of a gzipped file. A negative to is the end.
func unzipped(piece []byte, from, to int64, size int64) ([]byte, error) {
	in, err := gzip.NewReader(bytes.NewReader(piece))
	if err != nil {
		return nil, fmt.Errorf("damaged gzip file: %w", err)
	}
	if to < 0 {
		to = size + 1 // more than it claims is an error of the array
	}
	if _, err := io.CopyN(io.Discard, in, from); err != nil {
		return nil, fmt.Errorf("damaged file: %w", endOf(err))
	}
	plain, err := io.ReadAll(io.LimitReader(in, to-from))
	if err != nil {
		err = fmt.Errorf("damaged file: %w", endOf(err))
	}
	return plain, err
}

// ofPixels makes features from the bytes of images.
func ofPixels(x *tensor.Dense) *tensor.Dense {
	for i, v := range x.Data {
		x.Data[i] = v / 255
	}
	return &tensor.Dense{Shape: tensor.Shape{x.Shape[0], x.Shape[1:].Size()}, Data: x.Data}
}
