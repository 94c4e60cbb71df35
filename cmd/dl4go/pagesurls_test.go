//go:build storage

package main

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// TestPagesWithURLs runs the commands of storage.md that need no cluster: those with s3: URLs on $DL4GO_S3, those with
// hdfs: URLs on $DL4GO_HDFS, as far as there are both.
func TestPagesWithURLs(t *testing.T) {
	text, err := os.ReadFile("../../docs/storage.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for scheme, c := range map[string]struct {
		variable string
		least    int // commands
	}{"s3:": {"DL4GO_S3", 5}, "hdfs:": {"DL4GO_HDFS", 2}} {
		root := os.Getenv(c.variable)
		if root == "" {
			continue
		}
		root = storage.Join(root, "pages-"+rand.Text())
		for _, dir := range []string{"train", "test", "mnist/train", "mnist/test"} {
			saveImages(t, storage.Join(root, dir))
		}
		commands := 0
		for _, args := range pageCommands(string(text)) {
			line := strings.Join(args, " ")
			if !strings.Contains(line, scheme) || strings.Contains(line, "sc:") {
				continue
			}
			dl4go(t, onStorage(args, root)...)
			commands++
		}
		if commands < c.least {
			t.Errorf("%d commands with %s were run", commands, scheme)
		}
	}
}

// onStorage returns a page's command with the URL of a directory in the place of buckets and name nodes.
func onStorage(args []string, root string) (all []string) {
	to := strings.NewReplacer("s3://bucket", root, "hdfs://namenode:8020", root, "hdfs://namenode", root,
		"hdfs:///", root+"/")
	for _, arg := range args {
		all = append(all, to.Replace(arg))
	}
	return all
}

// saveImages saves 8 images of 2 classes in a directory.
func saveImages(t *testing.T, dir string) {
	t.Helper()
	const n, side = 8, 28
	d := &data.DataSet{Features: tensor.New(n, 1, side, side), Labels: tensor.New(n, 2)}
	for i := range d.Features.Data {
		d.Features.Data[i] = float32(i%7) / 7
	}
	for i := range n {
		d.Labels.Data[2*i+i%2] = 1
	}
	ctx := context.Background()
	if err := storage.MkdirAll(ctx, dir); err != nil {
		t.Fatal(err)
	}
	if err := d.Multi().SaveFile(ctx, storage.Join(dir, "0.bin")); err != nil {
		t.Fatal(err)
	}
}
