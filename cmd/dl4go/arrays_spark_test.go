//go:build spark

package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"
)

// TestSparkArrays: executors read the rows of NumPy's arrays, and their labels. The model and the answers are those of
// one machine. A split draws single rows, which the driver reads.
func TestSparkArrays(t *testing.T) {
	master, dir := server(t), t.TempDir()
	write := func(name, kind, shape string, elements any) string {
		t.Helper()
		text := fmt.Sprintf("{'descr': '<%s', 'fortran_order': False, 'shape': (%s), }\n", kind, shape)
		b := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), 0)
		b, err := binary.Append(append(b, text...), binary.LittleEndian, elements)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/"+name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return "file://" + dir + "/" + name
	}
	var x []float32
	var y []int32
	for i := range 90 {
		y = append(y, int32(i%3))
		for k := range 4 {
			x = append(x, float32(i%3*k)+float32(i*7%10)/20)
		}
	}
	data, labels := "npy:"+write("x.npy", "f4", "90, 4", x), write("y.npy", "i4", "90,", y)
	for _, more := range [][]string{nil, {"--split", "0.8:stratified"}, {"--normalize", "standardize"}} {
		var models [2]string
		for i, on := range []string{"local[2]", master} {
			save := fmt.Sprintf("%s/%d.zip", dir, i)
			dl4go(t, append([]string{"train", "--data", data, "--labels", labels, "--seed", "7", "--epochs", "1", "--batch",
				"8", "--master", on, "--workers", "2", "--save", save}, more...)...)
			models[i] = readFile(t, save)
		}
		if models[0] != models[1] {
			t.Errorf("%v: Spark gives another model than one machine", more)
		}
	}
	for i, on := range []string{"local[2]", master} {
		dl4go(t, "predict", "--model", dir+"/1.zip", "--data", data, "--master", on, "--output",
			fmt.Sprintf("%s/%d.csv", dir, i))
	}
	if want := readFile(t, dir+"/0.csv"); readFile(t, dir+"/1.csv") != want {
		t.Errorf("Spark predicts\n%s\nand one machine\n%s", readFile(t, dir+"/1.csv"), want)
	}
}
