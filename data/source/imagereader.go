package source

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// ByWorkers reports whether the pictures have a place: each can be read alone.
func (imagesKind) ByWorkers(n Name) bool { return n.Place != "" && n.Place != "-" }

// Unlike says what to do about pictures of different sizes.
func (imagesKind) Unlike() string { return "size=HxW brings them to one size" }

// Among selects the pictures, and takes the names of their folders as classes.
func (imagesKind) Among(n Name, o Options, paths []string) (taken []string, _ Options, err error) {
	c, err := imagesOf(n, o.As)
	if err != nil {
		return nil, o, err
	}
	place := strings.TrimRight(n.Place, "/")
	var classes, below []string // below are pictures in folders of classes' folders
	for _, p := range paths {
		within, _ := strings.CutPrefix(p, place+"/")
		switch depth := strings.Count(within, "/"); {
		case !isImage(p):
			continue
		case p != n.Place && depth > 1:
			if !slices.ContainsFunc(strings.Split(within, "/"), storage.Hidden) {
				below = append(below, within)
			}
			continue
		case p != n.Place && depth == 1:
			classes = append(classes, classOf(p))
		}
		taken = append(taken, p)
	}
	if len(classes) > 0 && len(classes) < len(taken) {
		return nil, o, strayPicture(place,
			taken[slices.IndexFunc(taken, func(p string) bool { return path.Dir(p) == place })])
	}
	o.As = o.As.With(&data.Schema{Images: c.settings(c.height > 0)})
	if known := c.names; o.As.Classes == nil {
		if known == nil {
			slices.Sort(classes)
			known = slices.Compact(classes)
			for _, within := range below {
				class, _, _ := strings.Cut(within, "/")
				if !o.Unlabelled && !slices.Contains(known, class) {
					return nil, o, emptyClass(place + "/" + class)
				}
			}
		}
		if len(classes) > 0 {
			o.As = o.As.With(&data.Schema{Classes: known})
		}
	}
	if len(classes) > 0 && len(below) > 0 {
		return nil, o, deepPicture(place + "/" + below[0])
	}
	o.Unlabelled = o.Unlabelled || len(classes) == 0
	return taken, o, nil
}

// classOf returns the class of a picture: the name of its folder.
func classOf(p string) string { return storage.Base(p[:strings.LastIndexByte(p, '/')]) }

// keyOf returns the key of a picture: its path below the place, with the folder if there are folders.
func keyOf(n Name, p string) string {
	if within, ok := strings.CutPrefix(p, strings.TrimRight(n.Place, "/")+"/"); ok {
		return within
	}
	return storage.Base(p)
}

// Class returns the class of a picture.
func (imagesKind) Class(p string) string { return classOf(p) }

// ReadFile reads a picture. Its class is the name of its folder, or comes from a list. Without size=, the picture keeps
// its own size.
func (imagesKind) ReadFile(n Name, o Options, p string, content Content,
	each func(*data.MultiDataSet) error) error {
	c, err := imagesOf(n, o.As)
	if err != nil {
		return err
	}
	f := &imageFiles{conf: c, sized: c.height > 0, files: []imageFile{{path: p, key: keyOf(n, p)}}}
	if !o.Unlabelled && o.As != nil {
		f.classes = o.As.Classes
	}
	if of := &f.files[0]; o.Listed != nil {
		of.key, of.class = o.Listed.Key, o.Listed.Class
	} else if f.classes != nil {
		if of.class = slices.Index(f.classes, classOf(p)); of.class < 0 {
			return f.unknown(p, classOf(p))
		}
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	pixels, err := f.decode(0, b)
	if err != nil {
		return err
	}
	return each(f.example(0, pixels, f.scaling()))
}

// strayPicture returns the error for a picture beside folders of pictures.
func strayPicture(place, p string) error {
	return fmt.Errorf("%s has pictures beside folders of pictures, such as %s: folders are classes; move it into one",
		place, storage.Base(p))
}

// deepPicture returns the error for a picture in a folder of a class's folder.
func deepPicture(p string) error {
	return fmt.Errorf("%s: this picture is one folder deeper than those of a class; move it right into the folder of its "+
		"class, or remove its folder", p)
}

// emptyClass returns the error for a folder of a class without pictures. Its pictures may be a folder further down.
func emptyClass(dir string) error {
	return fmt.Errorf("%s: there are no pictures in this folder of a class; move them right into it, or remove the folder",
		strings.TrimSuffix(dir, "/"))
}

// example returns picture i as a single example.
func (f *imageFiles) example(i int, pixels []uint8, scaled *scaling) *data.MultiDataSet {
	info, file := f.info(), f.files[i]
	x := tensor.New(append([]int{1}, info.Features[0]...)...)
	scaled.pixels(x.Data, pixels)
	m := &data.MultiDataSet{Features: []*tensor.Dense{x}, LabelNames: info.LabelNames, Meta: []string{file.key}}
	if info.Labels != nil {
		y := tensor.New(1, info.Classes)
		y.Data[file.class] = 1
		m.Labels = []*tensor.Dense{y}
	}
	return m
}

// load reads picture i as [channels, height, width].
func (f *imageFiles) load(ctx context.Context, i int) ([]uint8, error) {
	content, err := readImage(ctx, f.files[i].path)
	if err != nil {
		return nil, err
	}
	return f.decode(i, content)
}
