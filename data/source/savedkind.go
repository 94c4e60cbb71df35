package source

import (
	"context"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
)

func init() { Register("dl4j", savedKind{}) }

// savedKind is dl4j:FILE-OR-DIRECTORY.
type savedKind struct{}

func (savedKind) About() About {
	return About{
		Form:        "dl4j:FILE or dl4j:DIRECTORY",
		Text:        "saved DataSets or MultiDataSets",
		Endings:     []string{".bin"},
		Directories: true,
	}
}

func (savedKind) Check(n Name, _ Options) error {
	if n.Place == "" {
		return specf("a file or directory is needed: dl4j:FILE-OR-DIRECTORY")
	}
	return nil
}

func (savedKind) Open(ctx context.Context, n Name, _ Options) (Source, error) {
	s, err := openSaved(ctx, n.Place)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ByWorkers is true for all places: on a cluster, they are in its storage.
func (savedKind) ByWorkers(n Name) bool { return n.Place != "" }

func (savedKind) ReadFile(_ Name, _ Options, path string, content Content,
	each func(*data.MultiDataSet) error) error {
	m, err := data.Read(content, content.Size())
	if err != nil {
		return dl4j.In(err, path, "")
	}
	return each(m)
}

// SavedDataSets marks the files as saved by Deeplearning4j: see SavedReader.
func (savedKind) SavedDataSets() {}
