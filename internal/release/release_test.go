package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small is the source of a module that links quickly, with a module below it.
var small = map[string]string{
	"go.mod": "module example.org/small\n\ngo 1.26.0\n\nrequire example.org/below v1.2.3\n\nreplace " +
		"example.org/below => ./below\n",
	"LICENSE":           "ours",
	"README.md":         "# small\n",
	"cmd/small/m.go":    "package main\n\nimport \"example.org/below/deep\"\n\nfunc main() { println(deep.Word) }\n",
	"below/go.mod":      "module example.org/below\n\ngo 1.26.0\n",
	"below/LICENSE":     "Permission is hereby granted, free of charge,\nto any person obtaining a copy of this software",
	"below/deep/d.go":   "package deep\n\nconst Word = `hello`\n",
	"below/deep/NOTICE": "of this package alone",
}

// repository makes a Git repository of the files, with a tag.
func repository(t *testing.T, files map[string]string) settings {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "all"}, {"tag", "v1.4.0"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-11-20T10:00:00Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	platforms, err := parsePlatforms("linux/amd64,linux/arm64,windows/amd64")
	if err != nil {
		t.Fatal(err)
	}
	return settings{source: dir, out: filepath.Join(t.TempDir(), "out"), commit: "HEAD", platforms: platforms,
		programs: []program{{name: "small", path: "./cmd/small"}}}
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestSameBytes builds a release twice, from two directories into two others, the second time over another release.
func TestSameBytes(t *testing.T) {
	one := repository(t, small)
	if err := release(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	two := one
	two.source, two.out = filepath.Join(t.TempDir(), "elsewhere"), filepath.Join(t.TempDir(), "out")
	if _, err := git(t.Context(), ".", "clone", "-q", one.source, two.source); err != nil {
		t.Fatal(err)
	}
	// Uncommitted changes have no effect.
	if err := errors.Join(os.WriteFile(filepath.Join(two.source, "README.md"), []byte("changed"), 0o644),
		os.Mkdir(two.out, 0o755),
		os.WriteFile(filepath.Join(two.out, sums), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := release(t.Context(), two); err != nil {
		t.Fatal(err)
	}
	a, b := contents(t, one.out), contents(t, two.out)
	for name, data := range a {
		if !bytes.Equal(data, b[name]) {
			t.Errorf("%s: %d bytes, and then %d others", name, len(data), len(b[name]))
		}
	}
	if len(a) != len(b) || len(a) != 3*2+2 {
		t.Errorf("%d and %d files, not 8", len(a), len(b))
	}
	for line := range strings.Lines(string(a[sums])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(a[name])); got != sum {
			t.Errorf("%s: %s in the list, %s", name, sum, got)
		}
	}
	t.Run("archives", func(t *testing.T) { testArchives(t, a) })
	t.Run("bill of materials", func(t *testing.T) { testBOM(t, a["small_1.4.0_linux_arm64.sbom.cdx.json"]) })
	t.Run("image", func(t *testing.T) { testImage(t, a["small_1.4.0_image.oci.tar"]) })
}

func testArchives(t *testing.T, all map[string][]byte) {
	want := []string{"", "LICENSE", "README.md", "licences/example.org/below/LICENSE",
		"licences/example.org/below/deep/NOTICE", "licences/std/LICENSE", "licences/std/PATENTS", "sbom.cdx.json"}
	check := func(base, binary string, got []string) {
		t.Helper()
		want[0] = binary
		for i, name := range want {
			if !slices.Contains(got, base+"/"+name) {
				t.Errorf("%s is not in %q", want[i], got)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d files: %q", len(got), got)
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(all["small_1.4.0_linux_amd64.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if h.ModTime.UTC().Format("2006-01-02 15:04") != "2026-11-20 10:00" || h.Uid != 0 {
			t.Errorf("%s has time %v, owner %d", h.Name, h.ModTime, h.Uid)
		}
		got = append(got, h.Name)
	}
	check("small_1.4.0_linux_amd64", "small", got)
	data := all["small_1.4.0_windows_amd64.zip"]
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, f := range r.File {
		got = append(got, f.Name)
	}
	check("small_1.4.0_windows_amd64", "small.exe", got)
}

func testBOM(t *testing.T, data []byte) {
	var b bom
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	if main := b.Metadata.Component; main.URL != "pkg:golang/example.org/small@v1.4.0" || len(main.Components) != 1 {
		t.Errorf("it is of %+v", main)
	}
	var got []string
	for _, c := range b.Components {
		got = append(got, c.Name+" "+c.Licences[0].License.ID)
	}
	if strings.Join(got, ", ") != "std BSD-3-Clause, example.org/below MIT" {
		t.Errorf("components: %q", got)
	}
}

// testImage checks the digests of the layout.
func testImage(t *testing.T, data []byte) {
	all := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if all[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	read := func(d descriptor, to any) []byte {
		t.Helper()
		blob := all["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
		if digest(blob) != d.Digest || len(blob) != d.Size {
			t.Fatalf("%+v: %d bytes with %s", d, len(blob), digest(blob))
		}
		if to != nil {
			if err := json.Unmarshal(blob, to); err != nil {
				t.Fatal(err)
			}
		}
		return blob
	}
	var top, both manifest
	if err := json.Unmarshal(all["index.json"], &top); err != nil || len(top.Manifests) != 1 ||
		top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "1.4.0" {
		t.Fatalf("%+v, %v", top, err)
	}
	if read(top.Manifests[0], &both); len(both.Manifests) != 2 {
		t.Fatalf("%+v", both)
	}
	for i, arch := range []string{"amd64", "arm64"} {
		var m manifest
		var c imageConfig
		read(both.Manifests[i], &m)
		read(*m.Config, &c)
		if both.Manifests[i].Platform.Architecture != arch || c.Architecture != arch || c.Config.User != "65532:65532" ||
			strings.Join(c.Config.Entrypoint, " ") != "/usr/local/bin/small" || len(m.Layers) != 2 {
			t.Errorf("%s: %+v, %+v", arch, m, c)
		}
		for j, l := range m.Layers {
			z, err := gzip.NewReader(bytes.NewReader(read(l, nil)))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if err != nil || digest(plain) != c.RootFS.DiffIDs[j] {
				t.Errorf("layer %d is %s, %v", j, digest(plain), err)
			}
			if n := bytes.Count(plain, []byte("BEGIN CERTIFICATE")); j == 0 && n < 100 {
				t.Errorf("%d authorities", n)
			}
		}
	}
}

// TestRefused: an unknown licence, a module without a licence, and a directory with other files.
func TestRefused(t *testing.T) {
	changed := func(name, text string) settings {
		files := map[string]string{}
		for n, f := range small {
			files[n] = f
		}
		if files[name] = text; text == "" {
			delete(files, name)
		}
		s := repository(t, files)
		s.platforms = s.platforms[:1]
		return s
	}
	full := repository(t, small)
	full.out = t.TempDir()
	if err := os.WriteFile(filepath.Join(full.out, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	unknown := repository(t, small)
	unknown.commit = "v9"
	for want, s := range map[string]settings{
		"licences/example.org/below/LICENSE is a licence that is not known": changed("below/LICENSE", "All rights reserved."),
		"module example.org/below has no licence":                           changed("below/LICENSE", ""),
		"is not a release": full,
		"-commit v9":       unknown,
		"syntax error":     changed("cmd/small/m.go", "package main\n\nfunc main() { ( }\n"),
		"open ":            changed("README.md", ""),
	} {
		if err := release(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(full.out, "mine")); err != nil {
		t.Error(err)
	}
	for _, names := range []string{"", "linux", "linux/amd64,linux/amd64", "a/b/c"} {
		if _, err := parsePlatforms(names); err == nil {
			t.Errorf("platforms %q are taken", names)
		}
	}
}
