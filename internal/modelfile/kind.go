// Package modelfile recognises the files of networks, and converts old ones.
package modelfile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// IsModel reports whether a file that begins with head is a model zip.
func IsModel(head []byte) bool { return bytes.HasPrefix(head, []byte("PK")) }

// IsConfiguration reports whether a file that begins with head is a configuration: JSON, or YAML, which begins with
// "---" or has a YAML extension.
func IsConfiguration(path string, head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n\ufeff")
	return !bytes.Contains(head, []byte{0}) &&
		(bytes.HasPrefix(head, []byte("{")) || bytes.HasPrefix(head, []byte("---")) || IsYAML(path))
}

// IsJSON reports whether a file has the extension of JSON.
func IsJSON(path string) bool { return strings.EqualFold(filepath.Ext(path), ".json") }

// IsYAML reports whether a file has an extension of YAML.
func IsYAML(path string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(path)))
}

// Head returns the first bytes of a file. An empty file is an error.
func Head(ctx context.Context, path string) ([]byte, error) {
	f, err := storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 64)
	n, err := f.Read(head)
	if err == io.EOF {
		return nil, fmt.Errorf("%s is empty", path)
	}
	return head[:n], err
}
