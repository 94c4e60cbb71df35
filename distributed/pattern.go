package distributed

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// matching returns the files that fit a pattern in a cluster's storage, which this machine may not see. Files below a
// directory that fits count if the kind is deep. Hidden and empty files don't count.
func matching(ctx context.Context, e engine.Engine, k source.RawFiles, place string) (paths []string, err error) {
	root := place[:strings.LastIndexByte(place[:strings.IndexAny(place, "*[")], '/')+1]
	pattern := strings.Split(place[len(root):], "/")
	list := e.ListFiles
	if tree, ok := e.(engine.TreeLister); ok && (k.Deep() || len(pattern) > 1) {
		list = tree.ListTree
	}
	files, err := list(ctx, strings.TrimSuffix(root, "/"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		rest, below := strings.CutPrefix(f.Path, root)
		names := strings.Split(rest, "/")
		if !below || f.Size == 0 || slices.ContainsFunc(names, storage.Hidden) || len(names) < len(pattern) ||
			len(names) > len(pattern) && !k.Deep() {
			continue
		}
		fits := true
		for i, name := range pattern {
			ok, err := path.Match(name, names[i])
			if err != nil {
				return nil, err
			}
			fits = fits && ok
		}
		if fits {
			paths = append(paths, f.Path)
		}
	}
	return source.PickPaths(k, place, paths)
}
