package distributed

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
)

// singleFiles are files with one example each, such as pictures, so that some of them can be drawn.
type singleFiles struct {
	*clusterFiles
	reader source.FolderReader
}

// Subset returns a source of some files, in the order of their names.
func (s singleFiles) Subset(name string, at []int) source.Source {
	at = slices.Sorted(slices.Values(at))
	part := &clusterFiles{ctx: s.ctx, by: s.by, list: s.list.part(at)}
	for _, i := range at {
		part.paths = append(part.paths, s.paths[i])
	}
	part.rows = part.by.files(s.rows.Engine(), part.paths, 0)
	survey := *s.survey
	survey.Info.Name, survey.Info.Examples = name, len(at)
	survey.Bytes = survey.Bytes / int64(max(survey.Files, 1)) * int64(len(at))
	survey.Files = len(at)
	part.survey = &survey
	return singleFiles{part, s.reader}
}

// ClassNumbers returns the class of each file.
func (s singleFiles) ClassNumbers() (classes []int, err error) {
	known := s.survey.Info.LabelNames
	for i, path := range s.paths {
		if of := s.list.at(i); of != nil {
			classes = append(classes, of.Class)
			continue
		}
		class := slices.Index(known, s.reader.Class(path))
		if class < 0 {
			return nil, fmt.Errorf("%s: its class %q is unknown", path, s.reader.Class(path))
		}
		classes = append(classes, class)
	}
	return classes, nil
}
