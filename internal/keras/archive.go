package keras

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dl4go/dl4go/internal/hdf5"
)

// The members of a .keras file.
const (
	metadataMember = "metadata.json"
	configMember   = "config.json"
	weightsMember  = "model.weights.h5"
)

// maxConfig bounds a configuration; the largest models of Keras have one of about 1 MB.
const maxConfig = 16 << 20

// archive is an opened model file.
type archive struct {
	zip     bool   // a .keras file; otherwise HDF5
	version [2]int // of Keras, such as 3.15 or 2.2
	model   settings
	compile settings             // of the training; its map is nil if there is none
	weights *hdf5.Group          // the root of a .keras file's weights, or model_weights
	slots   *hdf5.Group          // optimizer/vars, or optimizer_weights; nil if there is none
	assets  map[string]*zip.File // files of layers, by their names in the zip
}

// isMember reports whether a zip begins with a member of a .keras file. dl4go's model zips begin with other entries.
func isMember(head []byte) bool {
	n := int(binary.LittleEndian.Uint16(head[26:]))
	name := string(head[30:min(len(head), 30+n)])
	return name == metadataMember || name == configMember || name == weightsMember || strings.HasPrefix(name, "assets/")
}

// openArchive reads everything except the weights.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	var head [8]byte
	if n, err := r.ReadAt(head[:], 0); n < 4 {
		if err == nil || err == io.EOF {
			err = fmt.Errorf("the file has %d bytes, which is not a model of Keras", size)
		}
		return nil, formatError("", err)
	}
	a := &archive{}
	if string(head[:2]) == "PK" {
		return a, a.openZip(r, size)
	}
	f, err := hdf5.Open(r, size)
	if err != nil {
		return nil, formatError("", err)
	}
	return a, formatError("", a.openH5(f))
}

// openZip reads a .keras file.
func (a *archive) openZip(r io.ReaderAt, size int64) error {
	a.zip = true
	z, err := zip.NewReader(r, size)
	if err != nil {
		return formatError("", fmt.Errorf("the zip cannot be read: %w", err))
	}
	members := map[string]*zip.File{}
	for _, m := range z.File {
		switch {
		case members[m.Name] != nil:
			return formatError("", fmt.Errorf("the zip has two members called %.60q", m.Name))
		case strings.Contains(m.Name, "..") || strings.HasPrefix(m.Name, "/") || strings.Contains(m.Name, "\\"):
			return formatError("", fmt.Errorf("the zip has a member called %.60q", m.Name))
		}
		members[m.Name] = m
	}
	a.assets = members
	var meta map[string]any
	if err := readJSON(members, metadataMember, &meta); err != nil {
		return formatError(metadataMember, err)
	}
	a.setVersion(fmt.Sprint(meta["keras_version"]))
	var config map[string]any
	if err := readJSON(members, configMember, &config); err != nil {
		return formatError(configMember, err)
	}
	a.model = newSettings("the model", config)
	compiled, _ := config["compile_config"].(map[string]any)
	if len(compiled) > 0 {
		a.compile = newSettings("compile_config", compiled)
	}
	return formatError(weightsMember, a.openWeights(r, members[weightsMember]))
}

// readJSON reads a member.
func readJSON(members map[string]*zip.File, name string, to *map[string]any) error {
	m := members[name]
	if m == nil {
		return errors.New("the zip has no such member")
	}
	if m.UncompressedSize64 > maxConfig {
		return fmt.Errorf("it inflates to %d bytes: there may be %d", m.UncompressedSize64, maxConfig)
	}
	f, err := m.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(b) > maxConfig {
		err = fmt.Errorf("it inflates to more than %d bytes", maxConfig)
	}
	if err != nil {
		return err
	}
	return parse(b, to)
}

// parse reads a configuration. Python writes NaN and Infinity, which are invalid in JSON, only for initializers.
func parse(b []byte, to *map[string]any) error {
	if depth(b) > 500 {
		return errors.New("the JSON is nested too deeply")
	}
	if err := json.Unmarshal(b, to); err != nil {
		return fmt.Errorf("the JSON is wrong: %w", err)
	}
	if *to == nil {
		return errors.New("an object should be here")
	}
	return nil
}

// depth returns how deeply brackets outside of strings are nested.
func depth(b []byte) (deepest int) {
	now, text := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// openWeights opens the weights of a .keras file.
func (a *archive) openWeights(r io.ReaderAt, m *zip.File) error {
	if m == nil {
		return errors.New("the zip has no such member: the file has no weights")
	}
	in, n, err := contentOf(r, m)
	if err != nil {
		return err
	}
	f, err := hdf5.Open(in, n)
	if err != nil {
		return err
	}
	if a.weights, err = f.Root(); err != nil {
		return err
	}
	if !a.weights.Has("optimizer") {
		return nil
	}
	o, err := a.weights.Group("optimizer")
	if err == nil && o.Has("vars") {
		a.slots, err = o.Group("vars")
	}
	return err
}

// maxRatio bounds the compression of weights in the zip. Keras stores them uncompressed.
const maxRatio = 32

// contentOf returns a member's bytes, without a copy if they are stored uncompressed.
func contentOf(r io.ReaderAt, m *zip.File) (io.ReaderAt, int64, error) {
	if m.Method == zip.Store {
		at, err := m.DataOffset()
		if err == nil && m.CompressedSize64 != m.UncompressedSize64 {
			err = errors.New("the member is stored, and has two sizes")
		}
		return io.NewSectionReader(r, at, int64(m.UncompressedSize64)), int64(m.UncompressedSize64), err
	}
	limit := max(m.CompressedSize64*maxRatio, 8<<20)
	if m.UncompressedSize64 > limit {
		return nil, 0, fmt.Errorf("%d bytes inflate to %d, too many", m.CompressedSize64, m.UncompressedSize64)
	}
	f, err := m.Open()
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && uint64(len(b)) > limit {
		err = fmt.Errorf("%d bytes inflate to more than %d", m.CompressedSize64, limit)
	}
	return bytes.NewReader(b), int64(len(b)), err
}

// openH5 reads a HDF5 file.
func (a *archive) openH5(f *hdf5.File) error {
	root, err := f.Root()
	if err != nil {
		return err
	}
	text, err := attribute(root, "model_config")
	if err != nil {
		return err
	}
	if text == "" {
		if names, _ := root.Attribute("layer_names"); names != nil || root.Has("layers") {
			return errors.New("the file holds weights only, no model: save the model itself, by model.save(...)")
		}
		return errors.New("the file has no attribute model_config: it is not a model of Keras")
	}
	version, err := attribute(root, "keras_version")
	if err != nil {
		return err
	}
	a.setVersion(version)
	var config map[string]any
	if len(text) > maxConfig {
		return fmt.Errorf("attribute model_config has %d bytes: there may be %d", len(text), maxConfig)
	}
	if err := parse([]byte(text), &config); err != nil {
		return fmt.Errorf("attribute model_config: %w", err)
	}
	a.model = newSettings("the model", config)
	if text, err = attribute(root, "training_config"); err != nil {
		return err
	}
	if text != "" {
		var training map[string]any
		if err := parse([]byte(text), &training); err != nil {
			return fmt.Errorf("attribute training_config: %w", err)
		}
		a.compile = newSettings("training_config", training)
	}
	if a.weights, err = root.Group("model_weights"); err != nil {
		return err
	}
	if root.Has("optimizer_weights") {
		a.slots, err = root.Group("optimizer_weights")
	}
	return err
}

// attribute returns a string attribute of a group; "" if there is none.
func attribute(g *hdf5.Group, name string) (string, error) {
	a, err := g.Attribute(name)
	if a == nil || err != nil {
		return "", err
	}
	return a.Text()
}

// setVersion sets the version of Keras. Without one, it is the oldest version.
func (a *archive) setVersion(text string) {
	a.version = [2]int{2, 0}
	var major, minor int
	if n, _ := fmt.Sscanf(text, "%d.%d", &major, &minor); n == 2 {
		a.version = [2]int{major, minor}
	}
}

// since reports whether the file was written by this version of Keras or a later one.
func (a *archive) since(major, minor int) bool {
	return a.version[0] > major || a.version[0] == major && a.version[1] >= minor
}
