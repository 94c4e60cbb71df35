package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// textFolder returns a folder with these files.
func textFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.ToSlash(dir)
}

// textsOf returns the rows of text: data, one in a line, before they become sequences of words.
func textsOf(t *testing.T, name string) (string, error) {
	t.Helper()
	n, err := Parse(name)
	if err != nil {
		return "", err
	}
	if err := n.Check(Options{}); err != nil {
		return "", err
	}
	rows, err := textKind{}.Rows(t.Context(), n, RowOptions{})
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var all []string
	for {
		item, err := rows.Next()
		if err == io.EOF {
			return strings.Join(all, "|"), nil
		}
		if err != nil {
			return "", err
		}
		all = append(all, fmt.Sprint(item.Row))
	}
}

// TestTexts: texts of class folders, of files and of lines, with their labels and names.
func TestTexts(t *testing.T) {
	dir := textFolder(t, map[string]string{"d/b/2.txt": "two\nlines\n", "d/a/1.txt": "one", "d/a/.hidden": "no",
		"d/_SUCCESS": "", "flat/x": "ex", "flat/y": "", "l.txt": "\ufeffÄ first\r\n\nthird", "y.txt": "p\n n \np\n",
		"z.txt": gzipped(t, "packed\n")})
	for name, want := range map[string]string{
		"d":                       "[a/1.txt one a]|[b/2.txt two\nlines\n b]",
		"d?lines=true":            "[a/1.txt:1 one a]|[b/2.txt:1 two b]|[b/2.txt:2 lines b]",
		"flat":                    "[x ex]|[y ]",
		"l.txt":                   "[l.txt:1 Ä first]|[l.txt:2 ]|[l.txt:3 third]",
		"l.txt?labels=DIR/y.txt":  "[l.txt:1 Ä first p]|[l.txt:2  n]|[l.txt:3 third p]",
		"z.txt?encoding=latin-1":  "[z.txt:1 packed]",
		"[lz].txt?encoding=utf-8": "[l.txt:1 Ä first]|[l.txt:2 ]|[l.txt:3 third]|[z.txt:1 packed]",
	} {
		got, err := textsOf(t, "text:"+dir+"/"+strings.ReplaceAll(name, "DIR", dir))
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

// TestTextMistakes: files that are no text, too few labels, and senseless settings are errors.
func TestTextMistakes(t *testing.T) {
	dir := textFolder(t, map[string]string{"d/a/1.txt": "one", "stray/a/1.txt": "one", "stray/x": "x", "bad/a/x": "a\x00b",
		"l.txt": "one\ntwo\n", "few": "p\n", "more": "p\nn\np\n", "latin": "\xe4\n", "empty/a/.x": "",
		"long": strings.Repeat("x", maxText+2)})
	for name, want := range map[string]string{
		"":                      "open ",
		"nope":                  "nope: no such file",
		"stray":                 "the file x stands beside folders of classes",
		"bad":                   "a/x: it is not a text in UTF-8",
		"latin":                 "latin:1: it is not a text in UTF-8; say encoding=",
		"empty":                 "there are no files in this directory",
		"long":                  "long:1: the line has more than 16 MB",
		"d?labels=DIR/few":      "the folders are the labels",
		"l.txt?labels=DIR/few":  "few: there is no label for l.txt:2: there are 1",
		"l.txt?labels=DIR/more": "more:3: there are more labels than texts",
		"l.txt?encoding=ascii":  "encoding=ascii",
		"l.txt?tokens=x":        `unknown option "tokens"`,
		"l.txt?max-words=0":     "max-words=0",
		"l.txt?lines=maybe":     "true or false",
	} {
		spec := "text:" + dir + "/" + strings.ReplaceAll(name, "DIR", dir)
		if name == "" {
			spec, want = "text:", "a folder or a file is needed"
		}
		if _, err := textsOf(t, spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	missing := Name{Kind: "text", Place: dir + "/nope"}
	if _, err := OpenRows(t.Context(), missing, RowOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there is opened: %v", err)
	}
	if _, err := Open(t.Context(), "text:"+dir+"/d"); err == nil || !strings.Contains(err.Error(), "a pipeline") {
		t.Errorf("without a pipeline: %v", err)
	}
}
