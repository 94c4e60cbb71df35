package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
)

// digitFolders writes the first digits of a part as PNG files of 16x16, with a folder for each class.
func digitFolders(t *testing.T, part string, most int) string {
	t.Helper()
	s, err := source.Open(t.Context(), "digits:"+part)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range most {
		m, err := s.Object(i)
		if err != nil {
			t.Fatal(err)
		}
		g := image.NewGray(image.Rect(0, 0, 16, 16))
		for p := range g.Pix {
			g.SetGray(p%16, p/16, color.Gray{Y: uint8(255 * m.Features[0].Data[p/32*8+p%16/2])})
		}
		class := strings.Index(fmt.Sprint(m.Labels[0].Data), "1") / 2
		path := fmt.Sprintf("%s/digit %d/%d.png", dir, class, i)
		err = os.MkdirAll(filepath.Dir(path), 0o777)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err == nil {
			err = errors.Join(png.Encode(f, g), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPicturesToONNX: a model that was trained with --size needs no --input-shape.
func TestPicturesToONNX(t *testing.T) {
	t.Parallel()
	dir, pictures := t.TempDir(), "images:"+digitFolders(t, "train", 60)
	at := func(name string) string { return filepath.Join(dir, name) }
	dl4go(t, "train", "--data", pictures, "--size", "12x10", "--channels", "grey", "--model", "lenet", "--epochs", "1",
		"--training", "plain", "--save", at("n.zip"))
	dl4go(t, "convert", at("n.zip"), at("n.onnx"))
	dl4go(t, "convert", at("n.onnx"), at("again.zip"))
	var predictions []string
	for _, model := range []string{"n.zip", "again.zip"} {
		dl4go(t, "predict", "--model", at(model), "--data", pictures, "--size", "12x10", "--channels", "grey", "--output",
			at(model+".csv"))
		b, err := os.ReadFile(at(model + ".csv"))
		if err != nil {
			t.Fatal(err)
		}
		predictions = append(predictions, string(b))
	}
	if predictions[0] != predictions[1] || !strings.Contains(predictions[0], "digit 3") {
		t.Errorf("the model predicts\n%.300s\nits ONNX model\n%.300s", predictions[0], predictions[1])
	}
}

// TestImages trains on folders of pictures, with the same bits on both engines and after a resume. Folders name the
// classes.
func TestImages(t *testing.T) {
	t.Parallel()
	train, test := digitFolders(t, "train", 300), digitFolders(t, "test", 60)
	dir := t.TempDir()
	flags := []string{"train", "--data", "images:" + train, "--size", "8", "--channels", "grey",
		"--model", "mlp", "--seed", "3", "--augment", "crop:1,rotate:5,scale:0.05,color:0.1,cutout:2,mixup:0.2"}
	var models [3][]byte
	for i, more := range [][]string{
		{"--master", "local[2]", "--epochs", "2", "--save", dir + "/0.zip"},
		{"--master", "processes[2]", "--epochs", "2", "--save", dir + "/1.zip"},
		{"--epochs", "1", "--save", dir + "/2.zip", "--checkpoint", dir + "/checkpoints"},
	} {
		dl4go(t, append(append([]string{}, flags...), more...)...)
		if i == 2 {
			dl4go(t, "train", "--resume", dir+"/checkpoints", "--epochs", "2")
		}
		models[i], _ = os.ReadFile(fmt.Sprintf("%s/%d.zip", dir, i))
	}
	for i := range models {
		if len(models[i]) == 0 || string(models[i]) != string(models[0]) {
			t.Errorf("run %d gave other bits", i)
		}
	}
	report := dl4go(t, "evaluate", "--model", dir+"/0.zip", "--data", "images:"+test, "--size", "8", "--channels", "grey")
	if !strings.Contains(report, "9 = digit 9") {
		t.Errorf("the classes have no names:\n%s", report)
	}
	one := test + "/digit 4"
	dl4go(t, "predict", "--model", dir+"/0.zip", "--data", "images:"+one, "--size", "8", "--channels", "grey",
		"--output", dir+"/p.jsonl")
	p, err := os.ReadFile(dir + "/p.jsonl")
	if err != nil || !strings.HasPrefix(string(p), `{"key":"`) || !strings.Contains(string(p), `.png","prediction":"digit `) ||
		!strings.Contains(string(p), `,"probability_digit 9":`) {
		t.Errorf("predictions without the names of pictures or classes: %.200s %v", p, err)
	}
	dl4go(t, "predict", "--model", dir+"/0.zip", "--data", "images:"+one, "--size", "8", "--channels", "grey",
		"--output", dir+"/p.csv")
	if p, err = os.ReadFile(dir + "/p.csv"); err != nil ||
		!strings.HasPrefix(string(p), "key,prediction,probability_digit 0,") {
		t.Errorf("columns without names: %.200s %v", p, err)
	}
}

// TestImagesSplit: --split holds out the same pictures on both engines, and after a resume.
func TestImagesSplit(t *testing.T) {
	t.Parallel()
	folder, dir := digitFolders(t, "train", 200), t.TempDir()
	flags := []string{"train", "--data", "images:" + folder, "--size", "8", "--channels", "grey", "--model", "mlp",
		"--seed", "3", "--split", "0.8:stratified", "--json"}
	var models [3][]byte
	for i, more := range [][]string{
		{"--master", "local[2]", "--epochs", "2", "--save", dir + "/0.zip"},
		{"--master", "processes[2]", "--epochs", "2", "--save", dir + "/1.zip"},
		{"--epochs", "1", "--save", dir + "/2.zip", "--checkpoint", dir + "/checkpoints"},
	} {
		out := dl4go(t, append(append([]string{}, flags...), more...)...)
		if i == 2 {
			out = dl4go(t, "train", "--resume", dir+"/checkpoints", "--epochs", "2", "--json")
		}
		if !strings.Contains(out, `"accuracy":`) {
			t.Errorf("run %d holds nothing out:\n%s", i, out)
		}
		models[i], _ = os.ReadFile(fmt.Sprintf("%s/%d.zip", dir, i))
	}
	for i := range models {
		if len(models[i]) == 0 || string(models[i]) != string(models[0]) {
			t.Errorf("run %d gave other bits", i)
		}
	}
	out := dl4go(t, "train", "--data", "images:"+folder, "--size", "8", "--channels", "grey", "--model", "mlp",
		"--epochs", "1", "--cross-validate", "3")
	if !strings.Contains(out, "fold") {
		t.Error(out)
	}
}
