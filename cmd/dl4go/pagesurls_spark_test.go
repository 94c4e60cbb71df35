//go:build spark && storage

package main

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/storage"
)

// TestPagesURLsOnSpark runs the commands of storage.md on Spark, on $DL4GO_S3 and $DL4GO_HDFS.
func TestPagesURLsOnSpark(t *testing.T) {
	text, err := os.ReadFile("../../docs/storage.md")
	if err != nil {
		t.Fatal(err)
	}
	master := server(t)
	t.Chdir(t.TempDir())
	dir := "pages-" + rand.Text()
	s3, hdfs := storage.Join(os.Getenv("DL4GO_S3"), dir), storage.Join(os.Getenv("DL4GO_HDFS"), dir)
	saveImages(t, storage.Join(s3, "train"))
	saveImages(t, storage.Join(hdfs, "test"))
	commands := 0
	for _, args := range pageCommands(string(text)) {
		line := strings.Join(args, "\n")
		if !strings.Contains(line, "sc://") {
			continue
		}
		line = strings.NewReplacer("sc://spark.example.com:15002", master, "s3://bucket", s3,
			"hdfs://namenode:8020", hdfs).Replace(line)
		dl4go(t, strings.Split(line, "\n")...)
		commands++
	}
	if commands != 2 {
		t.Errorf("%d commands were run", commands)
	}
}
