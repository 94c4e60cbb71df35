//go:build storage || kerberos

package hdfs

import (
	"testing"

	"github.com/dl4go/dl4go/storage"
)

// registered is the file system of hdfs:// URLs.
func registered(t testing.TB) *FileSystem {
	t.Helper()
	f, ok := storage.Lookup("hdfs")
	if !ok {
		t.Fatal("hdfs:// is not registered")
	}
	return f.(*FileSystem)
}
