package modelfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// own lists the extensions of Deeplearning4j's binary files. A file may also have no extension.
var own = []string{"", ".zip", ".bin"}

// CheckName refuses names whose extension promises another form than a model zip.
func CheckName(path string) error {
	if ext := formOf(path); !slices.Contains(own, ext) {
		return fmt.Errorf("a model is a zip, not a %s file: name it .zip; dl4go convert writes other forms", ext)
	}
	return nil
}

// checkForm refuses extensions that no form of Convert has.
func checkForm(path string) error {
	if ext := formOf(path); !slices.Contains(own, ext) && !IsJSON(path) && !IsYAML(path) && !Exchanged(path) {
		return fmt.Errorf("dl4go writes no %s files; the extension chooses the form: .zip for a model, .onnx or "+
			".safetensors for other programs, .json or .yaml for a configuration, .bin for a data set or a normalizer", ext)
	}
	return nil
}

// formOf returns a path's extension in small letters. The end of a version, as in model-1.2, is none.
func formOf(path string) string {
	ext := strings.ToLower(filepath.Ext(path))
	if strings.Trim(ext, ".0123456789") == "" {
		return ""
	}
	return ext
}
