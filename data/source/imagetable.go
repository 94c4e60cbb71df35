package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/picture"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// maxImageFile limits the bytes of a picture's file.
const maxImageFile = 1 << 28

// table decodes all pictures, and keeps their pixels as bytes.
func (f *imageFiles) table(ctx context.Context) (Table, error) {
	first, err := f.loadFirst(ctx)
	if err != nil {
		return nil, err
	}
	size := len(first)
	if err := checkup.Fits(int64(size) * int64(len(f.files))); err != nil {
		return nil, fmt.Errorf("%s: %d pictures: %w", f.name, len(f.files), err)
	}
	pixels := make([]uint8, size*len(f.files))
	copy(pixels, first)
	failed := make([]error, len(f.files)) // pictures that may be skipped
	err = inParallel(ctx, len(f.files)-1, func(i int) error {
		p, err := f.load(ctx, i+1)
		copy(pixels[(i+1)*size:], p)
		if f.conf.bad.Limit > 0 && errors.As(err, new(*RowError)) {
			failed[i+1], err = err, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if pixels, err = f.skip(failed, pixels, size); err != nil {
		return nil, err
	}
	info := f.info()
	if skipped := f.conf.bad.Notice(); skipped != "" {
		info.Notes = append(info.Notes, skipped)
	}
	keys := make([]string, len(f.files))
	for i, file := range f.files {
		keys[i] = file.key
	}
	scaled := f.scaling()
	return &table{info: info, keys: keys, fill: func(i int, features, labels []float32) {
		scaled.pixels(features, pixels[i*size:(i+1)*size])
		if labels != nil {
			labels[f.files[i].class] = 1
		}
	}, compact: func(i int) data.Compact { return f.compact(i, pixels[i*size:(i+1)*size]) }}, nil
}

// loadFirst loads the first picture that is not skipped, and removes those before it.
func (f *imageFiles) loadFirst(ctx context.Context) ([]uint8, error) {
	for i := range f.files {
		pixels, err := f.load(ctx, i)
		if err == nil {
			f.files = f.files[i:]
			return pixels, nil
		}
		if err = f.conf.bad.Allow(err); err != nil {
			return nil, err
		}
	}
	return nil, f.noneLeft()
}

// noneLeft returns the error if all pictures were skipped.
func (f *imageFiles) noneLeft() error {
	return fmt.Errorf("%s: none of the pictures can be read: %w", f.name, f.conf.bad.First[0])
}

// skip removes the pictures that failed, and their pixels.
func (f *imageFiles) skip(failed []error, pixels []uint8, size int) ([]uint8, error) {
	n := 0
	for i, err := range failed {
		if err != nil {
			if err = f.conf.bad.Allow(err); err != nil {
				return nil, err
			}
			continue
		}
		copy(pixels[n*size:], pixels[i*size:(i+1)*size])
		f.files[n] = f.files[i]
		n++
	}
	f.files = f.files[:n]
	return pixels[:n*size], nil
}

// compact returns picture i as a compact example, without key and names.
func (f *imageFiles) compact(i int, pixels []uint8) data.Compact {
	c := f.conf
	return data.Compact{Shape: tensor.Shape{c.mode.Channels(), c.height, c.width}, Pixels: pixels,
		Divisor: 255 / c.brightest, Class: f.files[i].class, Classes: len(f.classes)}
}

func (f *imageFiles) scaling() *scaling { return scale(255 / f.conf.brightest) }

// info describes the pictures. It needs their size, which the first picture may set.
func (f *imageFiles) info() Info {
	c := f.conf
	info := Info{Name: f.name, Examples: len(f.files), Features: []tensor.Shape{{c.mode.Channels(), c.height, c.width}},
		Image: &Image{c.height, c.width, c.mode.Channels()}}
	info.Schema = &data.Schema{Images: c.settings(f.sized)}
	if f.classes != nil {
		info.Labels = []tensor.Shape{{len(f.classes)}}
		info.Classes, info.LabelNames = len(f.classes), f.classes
		info.Schema.Classes = f.classes
	}
	return info
}

// decode decodes picture i to [channels, height, width]. The first one sets the size if the user gave none. The error
// of a damaged picture is a [RowError].
func (f *imageFiles) decode(i int, content []byte) ([]uint8, error) {
	path := f.files[i].path
	d, ok := f.decoders.Get().(*picture.Decoder)
	if !ok {
		d = picture.NewDecoder()
	}
	defer f.decoders.Put(d)
	m, err := d.Decode(content)
	if err != nil {
		return nil, &RowError{Err: fmt.Errorf("%s: %w", path, err), Of: "picture"}
	}
	c := &f.conf
	if c.height == 0 {
		c.height, c.width, f.first = m.Height, m.Width, path
	} else if !f.sized && (m.Height != c.height || m.Width != c.width) {
		return nil, fmt.Errorf("%s has %d by %d pixels, and %s %d by %d: size=HxW brings them to one size",
			path, m.Height, m.Width, f.first, c.height, c.width)
	}
	m = d.Fitted(m, c.width, c.height, c.crop)
	planes := make([]uint8, c.mode.Channels()*c.height*c.width)
	m.Planes(c.mode, planes)
	return planes, nil
}

func readImage(ctx context.Context, path string) ([]byte, error) {
	file, err := storage.OpenWatched(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.Size() > maxImageFile {
		return nil, fmt.Errorf("%s: a picture of %d bytes: at most %d are read", path, file.Size(), maxImageFile)
	}
	content, err := io.ReadAll(io.LimitReader(file, maxImageFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, nil
}

// inParallel calls do for 0 to n-1, several at a time. If calls fail, it returns the error of the smallest number; do
// may not be called for larger ones.
func inParallel(ctx context.Context, n int, do func(int) error) error {
	var next, failed atomic.Int64
	failed.Store(int64(n))
	errs := make([]error, n)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= failed.Load() || ctx.Err() != nil {
					return
				}
				if errs[i] = do(int(i)); errs[i] == nil {
					continue
				}
				for low := failed.Load(); i < low && !failed.CompareAndSwap(low, i); {
					low = failed.Load()
				}
			}
		})
	}
	wg.Wait()
	if i := failed.Load(); i < int64(n) {
		return errs[i]
	}
	return context.Cause(ctx)
}
