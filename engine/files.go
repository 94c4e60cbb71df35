package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/dl4go/dl4go/storage"
)

// StoredFiles lists a directory by package storage, for engines.
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

// maxTree bounds the depth of directories that are listed.
const maxTree = 16

// StoredTree is StoredFiles with the files of all directories below dir, except hidden ones.
func StoredTree(ctx context.Context, dir string) ([]FileInfo, error) {
	files, err := storedTree(ctx, dir, maxTree)
	slices.SortFunc(files, func(a, b FileInfo) int { return strings.Compare(a.Path, b.Path) })
	return files, err
}

func storedTree(ctx context.Context, dir string, most int) ([]FileInfo, error) {
	files, err := StoredFiles(ctx, dir)
	dirs, dirErr := storage.Directories(ctx, dir)
	if err != nil && (errors.Is(err, syscall.ENOTDIR) || len(dirs) == 0) {
		return nil, err
	}
	if dirErr != nil || most == 0 {
		return files, dirErr
	}
	for _, d := range dirs {
		if d = strings.TrimRight(d, "/"); storage.Hidden(d) {
			continue
		}
		below, err := storedTree(ctx, d, most-1)
		if err != nil {
			return nil, err
		}
		files = append(files, below...)
	}
	return files, nil
}
