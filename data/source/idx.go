package source

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// OpenIDX reads a file of images (or of vectors) and a file of their labels in the format of MNIST's files: unsigned
// bytes in the IDX format, gzipped or not. Images are kept as bytes, and divided by 255 to [0, 1] when they are read,
// as features [height·width]; labels are one-hot. With classes 0, the largest label determines the number of classes.
func OpenIDX(ctx context.Context, images, labels string, classes int) (Table, error) {
	return openIDX(ctx, images, labels, classes)
}

func openIDX(ctx context.Context, images, labels string, classes int) (Table, error) {
	pair, err := openIDXPair(ctx, images, labels)
	if err != nil {
		return nil, err
	}
	defer pair.close()
	y, err := pair.y.all()
	if err != nil {
		return nil, dl4j.In(err, labels, "")
	}
	if classes, err = y.classes(labels, classes); err != nil {
		return nil, err
	}
	x, err := pair.x.all()
	if err != nil {
		return nil, dl4j.In(err, images, "")
	}
	return imageTable(imageInfo("idx:"+images+","+labels, x.shape, classes), x, y, 255), nil
}

// idxPair is a pair of files of images and labels with matching shapes, before their elements are read.
type idxPair struct {
	x, y  *idxReader
	files []storage.File
}

func openIDXPair(ctx context.Context, images, labels string) (p *idxPair, err error) {
	p = &idxPair{}
	defer func(p *idxPair) {
		if err != nil {
			p.close()
		}
	}(p)
	for i, r := range []**idxReader{&p.x, &p.y} {
		path := []string{images, labels}[i]
		f, err := storage.OpenWatched(ctx, path)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
		if *r, err = newIDXReader(f, f.Size()); err != nil {
			return nil, dl4j.In(err, path, "")
		}
	}
	return p, checkIDX(images, labels, p.x.shape, p.y.shape)
}

func (p *idxPair) close() {
	for _, f := range p.files {
		f.Close()
	}
}

// maxImage limits the elements of an image. A gzip file of a few bytes may claim any number.
const maxImage = 1 << 28

// checkIDX checks that the files hold images and as many labels.
func checkIDX(images, labels string, x, y tensor.Shape) error {
	bad := func(path, format string, args ...any) error {
		return &dl4j.FormatError{Path: path, Offset: -1, Err: fmt.Errorf(format, args...)}
	}
	if len(x) != 2 && len(x) != 3 {
		return bad(images, "an IDX file of images has 3 dimensions (count, height, width), this one has %d", len(x))
	}
	if len(y) != 1 {
		return bad(labels, "an IDX file of labels has 1 dimension, this one has %d", len(y))
	}
	if x[0] != y[0] {
		return bad(labels, "there are %d labels for the %d images in %s", y[0], x[0], images)
	}
	if x.Size() == 0 {
		return bad(images, "there are no images in it")
	}
	if n := x[1:].Size(); n > maxImage {
		return bad(images, "an image has %d elements, more than the %d that are possible", n, maxImage)
	}
	return nil
}

// classes returns the number of classes; with 0 the largest label determines it.
func (y idxArray) classes(path string, classes int) (int, error) {
	largest := int(slices.Max(y.bytes))
	if classes == 0 {
		classes = largest + 1
	}
	if largest >= classes {
		at := bytes.IndexByte(y.bytes, byte(largest))
		return 0, &dl4j.FormatError{Path: path, Offset: -1,
			Err: fmt.Errorf("label %d has class %d, but classes=%d allows 0 to %d", at, largest, classes, classes-1)}
	}
	return classes, nil
}

// imageInfo describes images of this shape, [count, height, width], or vectors.
func imageInfo(name string, shape tensor.Shape, classes int) Info {
	info := Info{
		Name: name, Examples: shape[0], Classes: classes,
		Features: []tensor.Shape{{shape[1:].Size()}}, Labels: []tensor.Shape{{classes}},
	}
	info.Schema = &data.Schema{Classes: classNames(nil, classes)}
	if len(shape) == 3 {
		info.Image = &Image{Height: shape[1], Width: shape[2], Channels: 1}
	}
	return info
}

// imageTable scales pixels from 0 … brightest to [0, 1].
func imageTable(info Info, x, y idxArray, brightest float32) *table {
	size, scaled := x.shape[1:].Size(), scale(brightest)
	return &table{info: info, fill: func(i int, features, labels []float32) {
		scaled.pixels(features, x.bytes[i*size:(i+1)*size])
		labels[y.bytes[i]] = 1
	}, compact: func(i int) data.Compact {
		return data.Compact{Shape: info.Features[0], Pixels: x.bytes[i*size : (i+1)*size], Divisor: brightest,
			Class: int(y.bytes[i]), Classes: info.Classes}
	}}
}

// scaling maps the values of a pixel to numbers.
type scaling [256]float32

func scale(brightest float32) *scaling {
	s := &scaling{}
	for v := range s {
		s[v] = float32(v) / brightest
	}
	return s
}

func (s *scaling) pixels(to []float32, from []byte) {
	for j, v := range from {
		to[j] = s[v]
	}
}
