package checkpoint

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
)

// aboutEntry is the entry that only checkpoints have.
const aboutEntry = "checkpoint.json"

// Keep adds a checkpoint: a model's entries, and about in JSON. Then it removes all checkpoints but the last two
// intact ones. If another run has the directory now, Keep fails with ErrLost and changes nothing.
func (d *Directory) Keep(ctx context.Context, about any, model []dl4j.Entry) error {
	if err := d.lease.Verify(ctx); err != nil {
		return err
	}
	text, err := json.MarshalIndent(about, "", " ")
	if err != nil {
		return err
	}
	err = storage.WriteFile(ctx, d.file(name{d.lease.Token(), d.last + 1}), func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, e := range append([]dl4j.Entry{dl4j.BytesEntry(aboutEntry, text)}, model...) {
			out, err := z.CreateHeader(&zip.FileHeader{Name: e.Name, Method: zip.Store}) // parameters hardly shrink
			if err != nil {
				return err
			}
			if err := e.Write(out); err != nil {
				return err
			}
		}
		return z.Close()
	})
	if err != nil {
		return err
	}
	d.last++
	names, err := list(ctx, d.path)
	whole := 0
	for _, n := range names {
		if !d.damaged[n] {
			whole++
		}
		if d.damaged[n] || whole > kept {
			err = errors.Join(err, storage.Remove(ctx, d.file(n)))
		}
	}
	return err
}

// Last reads the newest readable checkpoint: it decodes its JSON into about, and returns the whole file, a model zip.
// damaged has the errors of newer ones that can't be read; these stay until Keep is called.
func (d *Directory) Last(ctx context.Context, about any) (model []byte, damaged []error, err error) {
	for again := 0; ; again++ {
		names, err := list(ctx, d.path)
		if err != nil {
			return nil, nil, err
		}
		model, damaged, err = d.newest(ctx, names, about)
		// A run that has lost the directory, and doesn't know it yet, may have removed an old checkpoint.
		if now, e := list(ctx, d.path); err == nil || e != nil || again == 3 || slices.Equal(now, names) {
			return model, damaged, err
		}
	}
}

// newest reads the first readable checkpoint.
func (d *Directory) newest(ctx context.Context, names []name, about any) (model []byte, damaged []error, err error) {
	clear(d.damaged)
	for _, n := range names {
		model, err := storage.ReadFile(ctx, d.file(n))
		if err != nil && storage.IsURL(d.path) && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err // a failed read does not mean that the file is damaged
		}
		var text []byte
		if err == nil {
			text, err = check(model)
		}
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

// check returns checkpoint.json of a file if all checksums are right.
func check(file []byte) (about []byte, err error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	for _, e := range z.File {
		var b bytes.Buffer
		in, err := e.Open()
		if err == nil {
			if e.Name == aboutEntry {
				_, err = b.ReadFrom(in)
				about = b.Bytes()
			} else {
				_, err = io.Copy(io.Discard, in)
			}
			in.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	if about == nil {
		return nil, errors.New("it has no " + aboutEntry)
	}
	return about, nil
}
