package npy

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Archive is a .npz file: arrays by name.
type Archive struct{ zip *zip.Reader }

// OpenArchive opens a .npz file of size bytes.
func OpenArchive(in io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, fmt.Errorf("it is no .npz file: %w", err)
	}
	return &Archive{z}, nil
}

// Names returns the arrays' names, in the order of the file.
func (a *Archive) Names() (names []string) {
	for _, f := range a.zip.File {
		if name, ok := strings.CutSuffix(f.Name, ".npy"); ok {
			names = append(names, name)
		}
	}
	return names
}

// maxDeflated is the maximum number of bytes that one compressed byte can become.
const maxDeflated = 1032

// CanHold reports whether compressed bytes can become that many.
func CanHold(packed, plain int64) bool { return plain/maxDeflated <= packed+1 }

// Open returns a reader of an array, to be closed.
func (a *Archive) Open(name string) (*Reader, io.Closer, error) {
	for _, f := range a.zip.File {
		if f.Name != name+".npy" {
			continue
		}
		if !CanHold(int64(f.CompressedSize64), int64(f.UncompressedSize64)) {
			return nil, nil, fmt.Errorf("array %s: its %d bytes can't hold the %d that it claims", name, f.CompressedSize64,
				f.UncompressedSize64)
		}
		in, err := f.Open()
		if err != nil {
			return nil, nil, fmt.Errorf("array %s: %w", name, err)
		}
		r, err := NewReader(bufio.NewReader(in), int64(f.UncompressedSize64))
		if err != nil {
			in.Close()
			return nil, nil, fmt.Errorf("array %s: %w", name, err)
		}
		return r, in, nil
	}
	return nil, nil, fmt.Errorf("there is no array %s: there are %s", name, strings.Join(a.Names(), ", "))
}
