//go:build !linux

package stored

import "os"

// memoryFile returns none: this system caches files in memory by itself, as long as there is room.
func memoryFile() (*os.File, error) { return nil, nil }

// diskFile creates a file in a directory. Close removes it.
func diskFile(dir string) (*os.File, error) { return os.CreateTemp(dir, "dl4go-examples-*") }

func pathOf(f *os.File) string { return f.Name() }

func remove(f *os.File) { os.Remove(f.Name()) }

func mapping(*os.File) []byte { return nil }

func unmap([]byte) {}

func soon(*os.File, int64, int64) {}
