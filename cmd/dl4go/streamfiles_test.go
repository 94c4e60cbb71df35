package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/nn"
)

// pixels4 writes gzipped IDX files of n images of 4 pixels and of their 3 classes to a directory.
func pixels4(t *testing.T, dir string, n int) (spec string, packed []byte) {
	t.Helper()
	x := binary.BigEndian.AppendUint32([]byte{0, 0, 8, 2}, uint32(n))
	x = binary.BigEndian.AppendUint32(x, 4)
	y := binary.BigEndian.AppendUint32([]byte{0, 0, 8, 1}, uint32(n))
	for i := range n {
		x = append(x, byte(i), byte(i>>8), byte(i*7), byte(i*i))
		y = append(y, byte(i*5%3))
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(x)
	z.Close()
	for name, content := range map[string][]byte{"x.gz": b.Bytes(), "y": y} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return "idx:" + filepath.Join(dir, "x.gz") + "," + filepath.Join(dir, "y"), b.Bytes()
}

func mlpModel() string {
	return filepath.Join("..", "..", "testdata", "oracle", "nets", "mlp-sgd", "model.zip")
}

func command(t *testing.T, args ...string) error {
	t.Helper()
	root := rootCommand()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs(append(args, "--model", mlpModel(), "--master", "local[2]"))
	return root.ExecuteContext(t.Context())
}

// TestIDXIsAStream: results for IDX files, computed piece by piece, equal those of the network for all examples at
// once.
func TestIDXIsAStream(t *testing.T) {
	const n = 2*distributed.PieceRows + 17
	dir := t.TempDir()
	spec, _ := pixels4(t, dir, n)
	s, err := source.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.LoadNetwork(t.Context(), mlpModel())
	if err != nil {
		t.Fatal(err)
	}
	all := s.(source.Table).Range(0, n)
	outputs, err := net.Output(all, false)
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for i := range n {
		for k, v := range outputs[0].Data[3*i : 3*i+3] {
			if k > 0 {
				want = append(want, ',')
			}
			want = strconv.AppendFloat(want, float64(v), 'g', -1, 32)
		}
		want = append(want, '\n')
	}
	out := filepath.Join(dir, "out.csv")
	for _, batch := range []string{"64", "1", "1001"} {
		if err := command(t, "predict", "--data", spec, "--output", out, "--batch", batch); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) {
			t.Errorf("batches of %s: other predictions: %d bytes, wanted %d, %v", batch, len(got), len(want), err)
		}
	}
	e := eval.NewEvaluation(3)
	if err := e.Eval(all.Labels[0], outputs[0], nil); err != nil {
		t.Fatal(err)
	}
	var state bytes.Buffer
	if err := eval.Write(&state, e); err != nil {
		t.Fatal(err)
	}
	if err := command(t, "evaluate", "--data", spec, "--types", "classification", "--save",
		filepath.Join(dir, "e.json")); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(filepath.Join(dir, "e.json"))
	if err != nil || strings.TrimSpace(string(saved)) != strings.TrimSpace(state.String()) {
		t.Errorf("another evaluation: %v\n%s\n%s", err, saved, &state)
	}
}

// TestStreamedFileIsDamaged: the error about a file that is cut off names the file and the place, and there are no
// predictions.
func TestStreamedFileIsDamaged(t *testing.T) {
	dir := t.TempDir()
	spec, packed := pixels4(t, dir, 3*distributed.PieceRows)
	if err := os.WriteFile(filepath.Join(dir, "x.gz"), packed[:len(packed)*3/4], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"predict", "--output", filepath.Join(dir, "out.npy")},
		{"predict", "--output", filepath.Join(dir, "out.csv")},
		{"evaluate", "--save", filepath.Join(dir, "out.json"), "--types", "classification"},
		{"score"},
	} {
		err := command(t, append(args, "--data", spec)...)
		if err == nil || !strings.Contains(err.Error(), "x.gz: damaged") || !strings.Contains(err.Error(), "(at byte ") {
			t.Errorf("%v: error %v", args, err)
		}
	}
	onlyTheData(t, dir)
}

func onlyTheData(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Errorf("files are left: %v, %v", files, err)
	}
}
