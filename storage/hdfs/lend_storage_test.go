//go:build storage

package hdfs

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// TestLoan: a borrower reads the file as the lender's user, whatever its own configuration is, if the file is still
// the same.
func TestLoan(t *testing.T) {
	conf := environment(t, "HADOOP_CONF_DIR") // before home removes it
	dir := home(t)
	name := dir + "/a b%20.bin"
	text := strings.Repeat("0123456789abcdef", block/8)
	put(t, name, []byte(text))
	f, err := registered(t).Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	modified := f.ModTime()
	f.Close()
	mini(t, "mkdir", nil, "path", pathOf(t, dir)+"/closed", "mode", "700", "owner", "bob")
	// By the name service, which only the lender's configuration has, and by the active name node.
	service := "hdfs://mini" + pathOf(t, name)
	for what, c := range map[string]struct {
		url      string
		size     int64
		modified time.Time
		want     string // the contents, or part of the error
	}{
		"as it was":      {name, int64(len(text)), modified, text},
		"of a service":   {service, int64(len(text)), modified, text},
		"longer":         {name, int64(len(text)) - 1, modified, "bytes here, and"},
		"changed":        {name, int64(len(text)), modified.Add(time.Millisecond), "it was changed at"},
		"not there":      {dir + "/none", 1, modified, "does not exist"},
		"of another one": {dir + "/closed/x", 1, modified, "the user alice may not"},
	} {
		t.Setenv("HADOOP_CONF_DIR", conf)
		t.Setenv("HADOOP_USER_NAME", "alice")
		loans, err := storage.Lend(context.Background(), []string{c.url}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("HADOOP_CONF_DIR", "/none")
		t.Setenv("HADOOP_USER_NAME", "bob")
		l := loans[0]
		l.Size, l.Modified = c.size, c.modified
		var got string
		f, err := storage.Borrow(context.Background(), l)
		if err == nil {
			var b []byte
			b, err = io.ReadAll(f)
			got = string(b)
			f.Close()
		}
		if err != nil {
			got = err.Error()
			t.Log(got)
		}
		if !strings.Contains(got, c.want) || (err == nil) != (c.want == text) {
			t.Errorf("%s: %.200s, wanted %.20s", what, got, c.want)
		}
	}
}
