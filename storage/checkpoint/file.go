package checkpoint

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dl4go/dl4go/storage"
)

// The entries of a file.
const (
	aboutEntry = "checkpoint.json"
	modelEntry = "model.zip"
)

// Keep adds a checkpoint: about, in JSON, and what model writes. Then it removes all but the last two that are
// whole.
func (d *Directory) Keep(about any, model func(io.Writer) error) error {
	text, err := json.MarshalIndent(about, "", " ")
	if err != nil {
		return err
	}
	err = storage.WriteFile(d.file(d.last+1), func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, e := range []struct {
			name  string
			write func(io.Writer) error
		}{
			{aboutEntry, func(w io.Writer) error { _, err := w.Write(text); return err }},
			{modelEntry, model},
		} {
			out, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
			if err != nil {
				return err
			}
			if err := e.write(out); err != nil {
				return err
			}
		}
		return z.Close()
	})
	if err != nil {
		return err
	}
	d.last++
	numbers, err := list(d.path)
	whole := 0
	for _, n := range numbers {
		if !d.damaged[n] {
			whole++
		}
		if d.damaged[n] || whole > kept {
			err = errors.Join(err, os.Remove(d.file(n)))
		}
	}
	return err
}

// Last reads the newest checkpoint that can be read, its JSON into about. damaged says why newer ones can't; they
// stay until Keep is called.
func (d *Directory) Last(about any) (model []byte, damaged []error, err error) {
	numbers, err := list(d.path)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range numbers {
		text, model, err := read(d.file(n))
		if err == nil {
			err = json.Unmarshal(text, about)
		}
		if err == nil {
			return model, damaged, nil
		}
		d.damaged[n] = true
		damaged = append(damaged, fmt.Errorf("%s: %w", d.file(n), err))
	}
	return nil, nil, &NoneError{d.path, damaged}
}

// read gives the entries of a file, whose checksums are right.
func read(path string) (about, model []byte, err error) {
	f, err := storage.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := zip.NewReader(f, f.Size)
	if err != nil {
		return nil, nil, err
	}
	entry := func(name string) ([]byte, error) {
		for _, e := range z.File {
			if e.Name != name {
				continue
			}
			if e.Method != zip.Store || e.UncompressedSize64 > uint64(f.Size) {
				return nil, fmt.Errorf("%s: %w", name, zip.ErrFormat)
			}
			in, err := e.Open()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			defer in.Close()
			b, err := io.ReadAll(in) // which checks the checksum
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return b, nil
		}
		return nil, errors.New("it has no " + name)
	}
	if about, err = entry(aboutEntry); err != nil {
		return nil, nil, err
	}
	model, err = entry(modelEntry)
	return about, model, err
}
