package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dl4go/dl4go/storage"
)

// fileTexts opens the files of a place, one after the other.
type fileTexts struct {
	ctx      context.Context
	encoding string
	files    []string // files that are not yet opened
	live     bool     // one of them may be long in coming
	opened   []io.Closer
}

// find finds the files of a place.
func (t *fileTexts) find(ctx context.Context, place, encoding string) (err error) {
	t.ctx, t.encoding = ctx, encoding
	t.files, err = placeFiles(ctx, place)
	return err
}

// next opens the next file. There must be one.
func (t *fileTexts) next() (path string, file io.Reader, err error) {
	path, t.files = t.files[0], t.files[1:]
	if path == "-" {
		t.live = true
		return streamName(path), os.Stdin, nil
	}
	f, err := storage.OpenWatched(t.ctx, path)
	if err != nil {
		return path, nil, err
	}
	t.opened = append(t.opened, f)
	t.live = t.live || f.Size() == 0
	return path, f, nil
}

// text returns a file's content, unpacked and as UTF-8.
func (t *fileTexts) text(path string, file io.Reader) (io.Reader, error) {
	plain, err := unpacked(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.opened = append(t.opened, plain)
	text, utf16 := decoded(plain, t.encoding)
	if utf16 {
		return nil, &CSVError{Path: path, Problem: "it is text in UTF-16: save it as UTF-8, or say encoding=utf-16"}
	}
	return text, nil
}

// close closes the open files.
func (t *fileTexts) close() error {
	var errs []error
	for _, c := range slices.Backward(t.opened) {
		errs = append(errs, c.Close())
	}
	t.opened = nil
	return errors.Join(errs...)
}
