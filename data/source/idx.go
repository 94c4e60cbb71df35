package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// openIDXSpec reads IMAGES,LABELS[?classes=N].
func openIDXSpec(rest string) (Table, error) {
	paths, query, _ := strings.Cut(rest, "?")
	images, labels, ok := strings.Cut(paths, ",")
	if !ok || images == "" || labels == "" {
		return nil, specf("two files are needed: idx:IMAGES,LABELS")
	}
	options, err := parseOptions(query)
	if err != nil {
		return nil, err
	}
	classes := 0
	for k, v := range options {
		if k != "classes" {
			return nil, specf("unknown option %q: there is classes", k)
		}
		if classes, err = strconv.Atoi(v); err != nil || classes < 1 {
			return nil, specf("classes=%s is not a number of classes", v)
		}
	}
	return OpenIDX(images, labels, classes)
}

// OpenIDX reads a file of images (or of vectors) and one of their labels as MNIST's files are made: unsigned bytes in
// the IDX format, gzipped or not. Images are kept as bytes and scaled to [0, 1] by 255 when they are read, as features
// [height·width]; labels are one-hot. With classes 0 there are as many classes as the largest label demands.
func OpenIDX(images, labels string, classes int) (Table, error) {
	x, err := readIDXFile(images)
	if err != nil {
		return nil, err
	}
	y, err := readIDXFile(labels)
	if err != nil {
		return nil, err
	}
	bad := func(path, format string, args ...any) (Table, error) {
		return nil, &dl4j.FormatError{Path: path, Offset: -1, Err: fmt.Errorf(format, args...)}
	}
	if len(x.shape) != 2 && len(x.shape) != 3 {
		return bad(images, "an IDX file of images has 3 dimensions (count, height, width), this one has %d", len(x.shape))
	}
	if len(y.shape) != 1 {
		return bad(labels, "an IDX file of labels has 1 dimension, this one has %d", len(y.shape))
	}
	if x.shape[0] != y.shape[0] {
		return bad(labels, "there are %d labels for the %d images in %s", y.shape[0], x.shape[0], images)
	}
	if x.shape.Size() == 0 {
		return bad(images, "there are no images in it")
	}
	largest := int(slices.Max(y.bytes))
	if classes == 0 {
		classes = largest + 1
	}
	if largest >= classes {
		at := bytes.IndexByte(y.bytes, byte(largest))
		return bad(labels, "label %d has class %d, but classes=%d allows 0 to %d", at, largest, classes, classes-1)
	}
	return imageTable("idx:"+images+","+labels, x, y, classes, 255), nil
}

// imageTable scales pixels from 0 … brightest to [0, 1].
func imageTable(name string, x, y idxArray, classes int, brightest float32) *table {
	size := x.shape[1:].Size()
	info := Info{
		Name: name, Examples: x.shape[0], Classes: classes,
		Features: []tensor.Shape{{size}}, Labels: []tensor.Shape{{classes}},
	}
	if len(x.shape) == 3 {
		info.Image = &Image{Height: x.shape[1], Width: x.shape[2], Channels: 1}
	}
	var scaled [256]float32
	for v := range scaled {
		scaled[v] = float32(v) / brightest
	}
	return &table{info, nil, func(i int, features, labels []float32) {
		for j, v := range x.bytes[i*size : (i+1)*size] {
			features[j] = scaled[v]
		}
		labels[y.bytes[i]] = 1
	}}
}

type idxArray struct {
	shape tensor.Shape
	bytes []byte
}

func readIDXFile(path string) (idxArray, error) {
	f, err := storage.Open(path)
	if err != nil {
		return idxArray{}, err
	}
	defer f.Close()
	a, err := readIDX(f, f.Size())
	return a, dl4j.In(err, path, "")
}

// readIDX reads an array of bytes; size is that of the file, or -1. Memory is taken as the bytes come.
func readIDX(file io.Reader, size int64) (idxArray, error) {
	bad := func(offset int64, format string, args ...any) (idxArray, error) {
		return idxArray{}, &dl4j.FormatError{Offset: offset, Err: fmt.Errorf(format, args...)}
	}
	r := bufio.NewReader(file)
	var in io.Reader = r
	if magic, _ := r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return bad(0, "damaged gzip file: %v", err)
		}
		in, size = z, -1
	}
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return bad(0, "not an IDX file: %v", endOf(err))
	}
	if head[0] != 0 || head[1] != 0 || head[3] == 0 || head[3] > 8 {
		return bad(0, "not an IDX file: it starts with % x", head)
	}
	if head[2] != 8 {
		return bad(2, "an IDX file of type %#x: only unsigned bytes (0x8) can be read", head[2])
	}
	shape := make(tensor.Shape, head[3])
	for i := range shape {
		var b [4]byte
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return bad(int64(4+4*i), "damaged IDX file: %v", endOf(err))
		}
		shape[i] = int(binary.BigEndian.Uint32(b[:]))
	}
	start := int64(4 + 4*len(shape))
	n, err := shape.CheckedSize(1 << 40)
	if err != nil {
		return bad(4, "damaged IDX file: %v", err)
	}
	if size >= 0 && int64(n) != size-start {
		return bad(4, "damaged IDX file: an array of shape %v takes %d bytes, and %d follow", shape, n, size-start)
	}
	all, err := readGrowing(in, n)
	if err != nil && err != io.ErrUnexpectedEOF {
		return bad(start+int64(len(all)), "damaged file: %v", err)
	}
	if len(all) < n {
		return bad(start, "damaged IDX file: an array of shape %v takes %d bytes, and %d follow", shape, n, len(all))
	}
	switch _, err := io.ReadFull(in, head[:1]); err { // a gzip file's checksum comes after its end
	case io.EOF:
		return idxArray{shape, all}, nil
	case nil:
		return bad(start, "damaged IDX file: an array of shape %v takes %d bytes, and more follow", shape, n)
	default:
		return bad(start+int64(n), "damaged file: %v", endOf(err))
	}
}

// readGrowing reads n bytes, taking memory as they come.
func readGrowing(in io.Reader, n int) ([]byte, error) {
	b := make([]byte, 0, min(n, 1<<20))
	for len(b) < n {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(n, 2*cap(b))), b...)
		}
		k, err := io.ReadFull(in, b[len(b):cap(b)])
		b = b[:len(b)+k]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return b, io.ErrUnexpectedEOF
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

func endOf(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the file ends too early")
	}
	return err
}
