//go:build !linux

package stored

import "os"

// memoryFile returns none: the system has files in memory by itself, as long as there is room.
func memoryFile() (*os.File, error) { return nil, nil }

// diskFile is a file in a directory, which Close removes.
func diskFile(dir string) (*os.File, error) { return os.CreateTemp(dir, "dl4go-examples-*") }

func pathOf(f *os.File) string { return f.Name() }

func remove(f *os.File) { os.Remove(f.Name()) }

func mapping(*os.File) []byte { return nil }

func unmap([]byte) {}

func soon(*os.File, int64, int64) {}
