package source

import (
	"context"
	"strings"
)

func init() { Register("idx", idxKind{}) }

// idxKind is idx:IMAGES,LABELS?classes=N.
type idxKind struct{}

func (idxKind) About() About {
	return About{
		Form:     "idx:IMAGES,LABELS",
		Text:     "MNIST's format",
		More:     "files may be gzipped.",
		Settings: []Setting{{Name: "classes", Value: "N", Text: "number of classes"}},
	}
}

func (idxKind) Check(n Name, _ Options) error {
	_, _, _, err := idxOf(n)
	return err
}

func (idxKind) Open(ctx context.Context, n Name, _ Options) (Source, error) {
	images, labels, classes, err := idxOf(n)
	if err != nil {
		return nil, err
	}
	return openIDX(ctx, images, labels, classes)
}

func (idxKind) Stream(ctx context.Context, n Name, o Options) (Examples, error) {
	images, labels, classes, err := idxOf(n)
	if err != nil {
		return nil, err
	}
	return openFiles(ctx, newIDXStream(images, labels, classes, !o.Unlabelled), images, labels)
}

func (idxKind) Streams(Name, Options) bool { return true }

// idxOf returns the files and settings of idx: data.
func idxOf(n Name) (images, labels string, classes int, err error) {
	images, labels, ok := strings.Cut(n.Place, ",")
	if !ok || images == "" || labels == "" {
		return "", "", 0, specf("two files are needed: idx:IMAGES,LABELS")
	}
	classes, err = n.count("classes", "a number of classes should be here")
	return images, labels, classes, err
}
