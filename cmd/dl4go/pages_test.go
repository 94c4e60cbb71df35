package main

import (
	"archive/zip"
	"bufio"
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/await"
)

// page is a page of docs with commands that this machine can run.
type page struct {
	least int // commands
	// files makes files that the commands need, beside flowers.csv; nil for none. docs is the directory of pages.
	files func(t *testing.T, docs, text string)
}

// pages are the pages whose commands TestPages runs. Those of spark.md need a cluster, those of storage.md buckets and
// an HDFS: see TestClusterCommands and TestPagesWithURLs.
var pages = map[string]page{
	"getting-started.md": {10, nil}, "training.md": {5, nil}, "performance.md": {3, nil}, "data.md": {2, nil},
	"pipeline.md": {2, nil}, "gpu.md": {2, noDevices}, "networks.md": {6, networkFiles},
	"interchange.md": {4, func(t *testing.T, _, _ string) { dl4go(t, "train", "--epochs", "1") }},
	"keras.md":       {5, func(t *testing.T, docs, _ string) { kerasFiles(t, docs, "mlp-sgd-momentum", "input.npy") }},
	"migration.md":   {1, testFiles}, "serving.md": {1, servedFiles},
}

// TestPages runs the commands of these pages in order, with the table that getting-started.md shows. With -short it
// runs those of that page only.
func TestPages(t *testing.T) {
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if testing.Short() && name != "getting-started.md" {
			continue
		}
		t.Run(name, func(t *testing.T) { runPage(t, docs, name, pages[name]) })
	}
}

// elsewhere matches commands that need more than this machine, or data that scripts have in another form: arrays.txtar
// has Parquet and NumPy's arrays, TestImages pictures, TestTextFiles texts, TestRawColumns penguins,
// TestSequencesOfALongTable readings, and TestEmbed orders. MLflow is a server, for which internal/mlflow has a fake
// one. The devices' plugins come from PyPI.
var elsewhere = regexp.MustCompile(`…|sc://|hdfs://|parquet:|images:|text:|npy:[^i]|penguins|readings|orders|mlflow|device install`)

// pageCommand matches a command in a page.
var pageCommand = regexp.MustCompile(`(?m)^(?:    |bin/)dl4go (.*)$`)

// pageCommands returns the arguments of the commands in a page. A line that ends in a backslash goes on in the next.
func pageCommands(text string) (all [][]string) {
	for _, m := range pageCommand.FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", " "), -1) {
		line, _, _ := strings.Cut(m[1], " # ")
		all = append(all, shellFields(line))
	}
	return all
}

// shellFields splits a line as a shell does, by spaces outside of quotes.
func shellFields(line string) (fields []string) {
	for _, field := range regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(line, -1) {
		fields = append(fields, strings.NewReplacer("'", "", `"`, "").Replace(field))
	}
	return fields
}

// endsSoon matches the arguments of training runs that say how long they are, have little data or try something only.
// The others take two epochs: getting-started.md and default.txtar have the whole default run.
var endsSoon = regexp.MustCompile(`--(epochs|data|dry-run|fast-dev-run|find-learning-rate)\b`)

func runPage(t *testing.T, docs, name string, p page) {
	text, err := os.ReadFile(filepath.Join(docs, name))
	if err != nil {
		t.Fatal(err)
	}
	start, err := os.ReadFile(filepath.Join(docs, "getting-started.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	_, after, _ := strings.Cut(string(start), "```csv\n")
	table, _, _ := strings.Cut(after, "```")
	writeFile(t, "flowers.csv", table)
	if p.files != nil {
		p.files(t, docs, string(text))
	}
	commands := 0
	for _, args := range pageCommands(string(text)) {
		if elsewhere.MatchString(strings.Join(args, " ")) {
			continue
		}
		if commands++; args[0] == "serve" {
			serveAndAsk(t, args, string(text))
			continue
		}
		if name != "getting-started.md" && args[0] == "train" && !endsSoon.MatchString(strings.Join(args, " ")) {
			args = append(args, "--epochs", "2")
		}
		dl4go(t, args...)
		if name == "keras.md" && args[0] == "predict" { // the next model takes texts
			kerasFiles(t, docs, "texts-int", "raw.csv")
		}
	}
	if commands < p.least {
		t.Errorf("%d commands were run", commands)
	}
	if name != "getting-started.md" {
		return
	}
	for name, text := range map[string]string{"kinds.jsonl": `"prediction":`, "digits.csv": ",", "run.html": "<svg",
		"best.zip": "PK"} {
		if b, err := os.ReadFile(name); err != nil || !strings.Contains(string(b), text) {
			t.Errorf("%s has no %s: %v", name, text, err)
		}
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// networkFiles writes the networks that the page shows.
func networkFiles(t *testing.T, _, text string) {
	blocks := strings.Split(text, "```yaml\n")
	for i, name := range []string{"net.yaml", "images.yaml"} {
		net, _, _ := strings.Cut(blocks[i+1], "```")
		writeFile(t, name, net)
	}
}

// noDevices hides plugins that are installed on this machine.
func noDevices(t *testing.T, _, _ string) {
	t.Setenv("DL4GO_DEVICES", filepath.Join(t.TempDir(), "devices"))
}

// testFiles makes a model and its test set.
func testFiles(t *testing.T, _, _ string) {
	dl4go(t, "train", "--data", "csv:flowers.csv", "--label", "kind", "--epochs", "1")
	if err := os.Link("flowers.csv", "test.csv"); err != nil {
		t.Fatal(err)
	}
}

// kerasFiles takes model.keras, and another file, from a case of Keras.
func kerasFiles(t *testing.T, docs, name, file string) {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join(docs, "../internal/keras/testdata/oracle.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for from, to := range map[string]string{"model.keras": "model.keras", file: strings.Replace(file, "raw", "rows", 1)} {
		b, err := z.Open(name + "/" + from)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(b)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, to, string(text))
	}
}

// servedFiles makes the models that serving.md asks.
func servedFiles(t *testing.T, _, _ string) {
	writeFile(t, "iris.csv", "petal length,petal width,species\n1.4,0.2,setosa\n4.7,1.4,versicolor\n"+
		"1.3,0.2,setosa\n4.5,1.5,versicolor\n")
	dl4go(t, "train", "--data", "csv:iris.csv", "--label", "species", "--epochs", "1", "--save", "iris.zip")
	for _, name := range []string{"prices.zip", "new.zip"} {
		if err := os.Link("iris.zip", name); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, "readings.csv", "machine,at,temperature,state\n1,1,20.5,good\n1,2,21,good\n2,1,70,bad\n2,2,80,bad\n")
	dl4go(t, "train", "--data", "csv:readings.csv", "--sequence-id", "machine", "--sequence-time", "at", "--label",
		"state", "--epochs", "1", "--save", "machines.zip")
}

// pageRequest matches a request to a model in a page: its body and its path.
var pageRequest = regexp.MustCompile(`(?m)^curl -d '(.*)' localhost:8000(/\S*)$`)

// serveAndAsk starts a server by a page's command, with a model for all of the page's requests, sends it these, and
// ends it.
func serveAndAsk(t *testing.T, args []string, text string) {
	for i := range args {
		args[i] = strings.Replace(args[i], "s3://bucket/", "", 1)
	}
	requests := pageRequest.FindAllStringSubmatch(text, -1)
	if len(requests) > 0 {
		args = append(args, "--model", "machines=machines.zip")
	}
	defer collectAsBefore()()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	logs, log := io.Pipe()
	root := rootCommand(append(args, "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0")...)
	root.SetErr(log)
	done := make(chan error, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		log.Close()
		done <- err
	}()
	var at []string
	for lines := bufio.NewScanner(logs); at == nil && lines.Scan(); {
		at = listensAt.FindStringSubmatch(lines.Text())
	}
	go io.Copy(io.Discard, logs)
	if at == nil {
		t.Fatalf("dl4go %q: %v", args, await.From(t, "the server to end", done))
	}
	for _, r := range requests {
		answer, err := http.Post("http://"+at[1]+r[2], "application/json", strings.NewReader(r[1]))
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(said), `"class":`) {
			t.Errorf("%s: %s %s, %v", r[0], answer.Status, said, err)
		}
	}
	cancel()
	if err := await.From(t, "the server to end", done); err != nil {
		t.Errorf("dl4go %q: %v", args, err)
	}
}
