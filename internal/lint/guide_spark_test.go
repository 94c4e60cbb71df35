//go:build spark

package lint

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuideSettingsSpark: Spark has every setting, and every class, that the guide names.
func TestGuideSettingsSpark(t *testing.T) {
	version := os.Getenv("SPARK")
	if version == "" {
		version = "4.1"
	}
	jars, err := filepath.Glob("../../.cache/spark/" + version + "/home/jars/spark-*.jar")
	if err != nil || len(jars) == 0 {
		t.Fatalf("there is no Spark %s: tools/spark.sh up fetches it; error %v", version, err)
	}
	missing := make(map[string]bool)
	for _, name := range regexp.MustCompile(`\b(org\.apache\.)?spark(\.[A-Za-z]+){2,}`).FindAllString(read(t,
		"../../docs/spark.md"), -1) {
		if name != "spark.example.com" {
			missing[name] = true
		}
	}
	if len(missing) < 10 {
		t.Fatalf("only %d settings found in the guide", len(missing))
	}
	for _, jar := range jars {
		z, err := zip.OpenReader(jar)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if !strings.HasSuffix(f.Name, ".class") {
				continue
			}
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			r.Close()
			if err != nil {
				t.Fatal(err)
			}
			for name := range missing {
				if bytes.Contains(b, []byte(name)) || strings.TrimSuffix(f.Name, ".class") == strings.ReplaceAll(name, ".", "/") {
					delete(missing, name)
				}
			}
		}
		z.Close()
	}
	for name := range missing {
		t.Errorf("docs/spark.md names %s, which Spark %s does not know", name, version)
	}
}
