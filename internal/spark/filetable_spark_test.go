//go:build spark

package spark_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark"
)

// TestSparkFilesThatWorkersRead checks that files give the same result whether workers read them or Spark does, because
// workers can't. The switch to Spark uses up none of the job's attempts and happens once.
func TestSparkFilesThatWorkersRead(t *testing.T) {
	t.Parallel()
	var lines syncBuffer
	log := slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e, err := engine.Open(context.Background(), os.Getenv("DL4GO_SPARK"), engine.Options{Log: log, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const own, handed = "the worker has read files itself", "workers can't read these files themselves"
	for _, workers := range []bool{true, false} {
		dir := t.TempDir()
		parts := make([][]string, 3) // the last partition has no files
		var want strings.Builder
		for i := range 40 {
			content := strings.Repeat(fmt.Sprintf("file %d\n", i), 100*(i%7)) // some are empty
			path := filepath.Join(dir, fmt.Sprintf("part %d%%20.bin", i))
			if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
			parts[i/20] = append(parts[i/20], path)
			fmt.Fprintf(&want, "%s %08x\n", path, crc32.ChecksumIEEE([]byte(content)))
			if i == 17 && !workers { // workers leave files with Hadoop's checksums to Spark
				sums := []byte("crc\x00\x00\x00\x02\x00")
				for at := 0; at < len(content); at += 512 {
					sums = binary.BigEndian.AppendUint32(sums, crc32.ChecksumIEEE([]byte(content[at:min(at+512, len(content))])))
				}
				if err := os.WriteFile(filepath.Join(dir, "."+filepath.Base(path)+".crc"), sums, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		read := engine.ReadFiles(e, parts)
		kept := engine.ReadFiles(e, parts).Map(pass.With(struct{}{})).Persist(engine.MemoryOnly)
		lines.Reset()
		for i, step := range []struct {
			name string
			d    *engine.Dataset
		}{{"read", read}, {"selected and mapped", read.Select(0, 1).Map(pass.With(struct{}{}))}, {"indexed", read.Index()},
			{"kept", kept}, {"what was kept", kept}} {
			rows, err := step.d.CollectAll(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			var got strings.Builder
			for _, row := range rows {
				f, err := engine.FileOf(row)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&got, "%s %08x\n", f.Path, crc32.ChecksumIEEE(f.Content))
			}
			if got.String() != want.String() {
				t.Errorf("%s: got\n%s, wanted\n%s", step.name, &got, &want)
			}
			if told := strings.Count(lines.String(), handed); workers && told != 0 || !workers && told != 1 {
				t.Errorf("%s: that Spark reads files is said %d times:\n%s", step.name, told, lines.String())
			}
			if i == 3 { // Spark computes it again
				if err := spark.Lose(e, kept); err != nil {
					t.Fatal(err)
				}
			}
		}
		if workers && !strings.Contains(lines.String(), own) {
			t.Errorf("no worker has read a file:\n%s", lines.String())
		}
		if workers {
			continue
		}
		if !strings.Contains(lines.String(), "part 17%20.bin: it has checksums of Hadoop's beside it") {
			t.Errorf("the reason is missing:\n%s", lines.String())
		}
	}
}

// TestSparkFilesKeptForLater checks a table that is computed when a later job reads it. If workers can no longer read a
// file, Spark reads it.
func TestSparkFilesKeptForLater(t *testing.T) {
	t.Parallel()
	e, err := engine.Open(context.Background(), os.Getenv("DL4GO_SPARK"), engine.Options{Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("contents"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := engine.ReadFiles(e, [][]string{{path}}).Map(pass.With(struct{}{})).Persist(engine.MemoryOnly)
	if n, err := d.Count(t.Context()); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	sums := binary.BigEndian.AppendUint32([]byte("crc\x00\x00\x00\x02\x00"), crc32.ChecksumIEEE([]byte("contents")))
	if err := os.WriteFile(filepath.Join(dir, ".file.crc"), sums, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := spark.Lose(e, d); err != nil {
		t.Fatal(err)
	}
	rows, err := d.Map(pass.With(struct{}{})).CollectAll(t.Context())
	if err != nil || len(rows) != 1 || !strings.HasSuffix(string(rows[0].Bytes), "contents") {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
}
