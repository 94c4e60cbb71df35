package deploy

import (
	"bytes"
	"debug/elf"
	"io"
	"os"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// programFile returns an artifact of a program's file without symbols and debugging data. They lie after everything
// that is loaded, and are a third of a Go program. Workers don't need them, not even for stack traces.
func programFile(name, path string) (connect.Artifact, error) {
	a, err := connect.ArtifactFile(name, path)
	if err != nil {
		return a, err
	}
	header, size := loaded(path, a.Size)
	if size == a.Size {
		return a, nil
	}
	a.Size = size
	a.Open = func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		if _, err := f.Seek(int64(len(header)), io.SeekStart); err != nil {
			f.Close()
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(header), io.LimitReader(f, size-int64(len(header)))), f}, nil
	}
	return a, nil
}

// elfHeader is the size of the header of ELF files of 64 bits.
const elfHeader = 64

// loaded returns the length of the part of a program's file that is loaded, and the header for a file of that length.
// Files that are not 64-bit ELF, or end with a part that is loaded, stay whole.
func loaded(path string, size int64) (header []byte, length int64) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, size
	}
	defer f.Close()
	end := uint64(elfHeader)
	for _, p := range f.Progs {
		if p.Filesz > 0 {
			end = max(end, p.Off+p.Filesz)
		}
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			end = max(end, s.Offset+s.FileSize)
		}
	}
	header = make([]byte, elfHeader)
	if f.Class != elf.ELFCLASS64 || end >= uint64(size) || !readStart(path, header) {
		return nil, size
	}
	f.ByteOrder.PutUint64(header[0x28:], 0) // where the sections' table is
	for _, at := range []int{0x3A, 0x3C, 0x3E} {
		f.ByteOrder.PutUint16(header[at:], 0) // the size of its entries, their number, the one of names
	}
	return header, int64(end)
}

func readStart(path string, b []byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = io.ReadFull(f, b)
	return err == nil
}
