package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTextFiles: words of texts in folders determine the class, and the model takes lines, also in the form of
// standard input.
func TestTextFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 40 {
		class, word := "bad", "awful"
		if i%2 == 0 {
			class, word = "good", "superb"
		}
		path := filepath.Join(dir, "texts", class, fmt.Sprintf("%d.txt", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("A film, %s in all %d minutes.\n", word, 80+i%7)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := filepath.Join(dir, "lines.txt")
	if err := os.WriteFile(lines, []byte("an awful film\nSUPERB, a film\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	model, texts := filepath.Join(dir, "model.zip"), "text:"+filepath.Join(dir, "texts")
	sameOnProcesses(t, "--data", texts, "--split", "0.8:stratified", "--epochs", "2", "--batch", "4")
	for _, network := range []string{"gru", "lstm"} {
		dl4go(t, "train", "--data", texts, "--model", network, "--hidden", "8", "--learning-rate", "0.05", "--batch", "4",
			"--epochs", "20", "--save", model, "--force")
		if out := dl4go(t, "evaluate", "--model", model, "--data", texts); !strings.Contains(out, "Accuracy:        1.0000") {
			t.Errorf("%s: %s", network, out)
		}
		out := dl4go(t, "predict", "--model", model, "--data", "text:"+lines, "--output", "-")
		if !strings.HasPrefix(out, "file,prediction,probability_bad,probability_good\nlines.txt:1,bad,") ||
			!strings.Contains(out, "\nlines.txt:2,good,") {
			t.Errorf("%s: %s", network, out)
		}
	}
}

// sameOnProcesses trains with processes that read the files, and with this process reading them: the model is the
// same.
func sameOnProcesses(t *testing.T, args ...string) {
	t.Helper()
	models := map[string]string{}
	for _, on := range []string{"local[2]", "processes[2]"} {
		save := filepath.Join(t.TempDir(), "model.zip")
		dl4go(t, append([]string{"train", "--master", on, "--save", save}, args...)...)
		b, err := os.ReadFile(save)
		if err != nil {
			t.Fatal(err)
		}
		models[on] = string(b)
	}
	if models["local[2]"] != models["processes[2]"] {
		t.Errorf("%v: processes give another model", args)
	}
}
