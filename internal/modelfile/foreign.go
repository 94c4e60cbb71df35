package modelfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// foreign lists the extensions of other programs' files. dl4go's own files must not have them: such a name would
// mislead.
var foreign = []string{".onnx", ".h5", ".hdf5", ".keras", ".pb", ".tflite", ".mlmodel", ".pt", ".pth", ".safetensors",
	".gguf", ".ckpt", ".pkl", ".joblib", ".pmml", ".npy", ".npz", ".csv", ".tsv", ".parquet", ".arrow", ".txt", ".html",
	".xml", ".tar", ".gz", ".tgz"}

// CheckName refuses the extensions of other programs for models, data sets and normalizers.
func CheckName(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); slices.Contains(foreign, ext) {
		return fmt.Errorf("dl4go writes Deeplearning4j's files, no %s files: name a model .zip, and a data set or a "+
			"normalizer .bin", ext)
	}
	return nil
}
