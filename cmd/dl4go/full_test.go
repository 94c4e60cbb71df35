package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/dl4go/dl4go/storage"
)

// fullDisk is a file system for the scripts, full:…, on which all writes fail.
type fullDisk struct{}

func init() { storage.Register("full", fullDisk{}) }

func (fullDisk) Open(_ context.Context, url string) (storage.File, error) {
	return nil, &fs.PathError{Op: "open", Path: url, Err: fs.ErrNotExist}
}

func (fullDisk) Put(_ context.Context, url string, _ io.Reader, _ int64) error {
	return fmt.Errorf("%s can't be written: %w", url, syscall.ENOSPC)
}

func (fullDisk) CheckWritable(context.Context, string) error           { return nil }
func (fullDisk) List(context.Context, string) ([]storage.Entry, error) { return nil, fs.ErrNotExist }
func (fullDisk) Remove(context.Context, string) error                  { return nil }
