package engine

import (
	"context"
	"syscall"

	"github.com/dl4go/dl4go/storage"
)

// StoredFiles lists a directory as this process finds it, through package storage: for engines.
func StoredFiles(ctx context.Context, dir string) ([]FileInfo, error) {
	entries, isDir, err := storage.Files(ctx, dir)
	if err != nil {
		return nil, err
	}
	if !isDir {
		return nil, syscall.ENOTDIR
	}
	var files []FileInfo
	for _, entry := range entries {
		if !storage.Hidden(entry.URL) {
			files = append(files, FileInfo{Path: entry.URL, Size: entry.Size})
		}
	}
	return files, nil
}
