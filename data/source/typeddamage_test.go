package source

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/mutate"
	"github.com/dl4go/dl4go/pipeline"
)

// TestMutatedTables reads damaged Parquet and Arrow files, in whose footers half of the damage is, as rows, as batches
// of columns, and as numbers. They cause no panic, and errors name the file.
func TestMutatedTables(t *testing.T) {
	runs := campaign.Record(t)
	var files []string
	for _, pattern := range []string{"testdata/parquet/*.parquet", "../../internal/parquet/testdata/*.parquet",
		"testdata/arrow/*.arrow"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 20 {
		t.Fatal(files)
	}
	dir := t.TempDir()
	refused := 0
	n := campaign.Count(200, 1000, 50_000)
	for seed := range uint64(n) {
		file := files[seed%uint64(len(files))]
		sound, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "damaged"+filepath.Ext(file))
		if err := os.WriteFile(path, damagedTable(sound, seed), 0o600); err != nil {
			t.Fatal(err)
		}
		kind := strings.TrimPrefix(filepath.Ext(file), ".")
		errs := []error{byRows(t, kind, path), byBatches(t, kind, path), byNumbers(t, kind, path)}
		if errors.Join(errs...) != nil {
			refused++
		}
		for _, err := range errs {
			if err != nil && (!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s, seed %d: the error is %q", file, seed, err)
			}
		}
		runs.Add(1)
	}
	if refused < n/4 {
		t.Errorf("of %d damaged files, %d are an error", n, refused)
	}
}

// damagedTable damages any part of a file, or only the footer of a Parquet file. The footer's length stays right.
func damagedTable(b []byte, seed uint64) []byte {
	if end := len(b) - 8; seed%2 == 0 && string(b[end+4:]) == "PAR1" {
		from := end - int(binary.LittleEndian.Uint32(b[end:]))
		footer := mutate.Bytes(b[from:end], seed)
		out := append(append([]byte(nil), b[:from]...), footer...)
		return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
	}
	return mutate.Bytes(b, seed)
}

// maxDamagedRows is how many rows are read of a damaged file, which may claim millions of equal ones.
const maxDamagedRows = 5000

func byRows(t *testing.T, kind, path string) error {
	t.Helper()
	rows, err := OpenRows(t.Context(), Name{Kind: kind, Place: path}, RowOptions{})
	if err != nil {
		return err
	}
	defer rows.Close()
	for range maxDamagedRows {
		_, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.As(err, new(*RowError)) {
			return err
		}
	}
	return nil
}

func byBatches(t *testing.T, kind, path string) error {
	t.Helper()
	rows, err := OpenRows(t.Context(), Name{Kind: kind, Place: path}, RowOptions{})
	if err != nil {
		return err
	}
	defer rows.Close()
	in := Batched(rows)
	var b pipeline.Batch
	for read := 0; read < maxDamagedRows; read += b.Rows() {
		b.Reset(0, 0)
		err := in.NextBatch(&b)
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.As(err, new(*RowError)) {
			return err
		}
		for i := range b.Rows() {
			b.AppendRow(nil, i)
		}
		if err != nil {
			read++
		}
	}
	return nil
}

func byNumbers(t *testing.T, kind, path string) error {
	t.Helper()
	n := Name{Kind: kind, Place: path, Settings: map[string]string{"label": "none"}}
	s, err := OpenStream(t.Context(), n, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	for read := 0; read < maxDamagedRows; {
		m, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		read += m.Examples()
	}
	return nil
}
