package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// imageFiles lists the pictures of a name in order: by class, then by file name.
type imageFiles struct {
	name    string
	conf    imageConf
	files   []imageFile
	classes []string // nil: there are no labels
	known   bool     // the classes are given by the model or the user
	sized   bool     // the user gave the size
	first   string   // the picture that set the size, if the user did not

	decoders sync.Pool // of *picture.Decoder
}

// imageFile is a picture. Its key identifies it in messages and predictions.
type imageFile struct {
	path, key string
	class     int
}

// imageEndings are the file name endings of pictures. Other files in a folder are ignored.
var imageEndings = []string{".jpg", ".jpeg", ".png", ".gif", ".bmp", ".webp"}

// findImages lists the pictures.
func findImages(ctx context.Context, n Name, c imageConf, o Options) (*imageFiles, error) {
	f := newImageFiles(n, c, o)
	var err error
	if isList(n.Place) {
		err = f.fromList(ctx, n.Place, !o.Unlabelled)
	} else {
		err = f.fromPlace(ctx, n.Place, !o.Unlabelled)
	}
	if err != nil {
		return nil, err
	}
	if len(f.files) == 0 {
		return nil, &fs.PathError{Op: "open", Path: n.Place, Err: errors.New("there are no pictures in it")}
	}
	return f, f.checkClasses()
}

func newImageFiles(n Name, c imageConf, o Options) *imageFiles {
	f := &imageFiles{name: n.String(), conf: c, sized: c.height > 0}
	if o.As != nil && o.As.Classes != nil {
		f.classes, f.known = o.As.Classes, true
	} else if c.names != nil {
		f.classes, f.known = c.names, true
	}
	return f
}

func (f *imageFiles) checkClasses() error {
	if name, twice := data.Repeated(f.classes); twice {
		return fmt.Errorf("the class %q is named twice", name)
	}
	return nil
}

// fromPlace lists a folder of folders, a folder, or one picture.
func (f *imageFiles) fromPlace(ctx context.Context, place string, labelled bool) error {
	files, isDir, err := storage.Files(ctx, place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a bucket may have only folders
		return err
	}
	if err == nil && !isDir {
		f.classes, f.files = nil, []imageFile{{path: place, key: storage.Base(place)}}
		return nil
	}
	dirs, dirErr := storage.Directories(ctx, place)
	if err = cmp.Or(dirErr, err); err != nil && (dirErr != nil || len(dirs) == 0) {
		return err
	}
	dirs = slices.DeleteFunc(dirs, storage.Hidden)
	if len(dirs) == 0 {
		f.classes = nil
		f.add(files, "", 0)
		return nil
	}
	for _, file := range files {
		if isImage(file.URL) {
			return strayPicture(place, file.URL)
		}
	}
	return f.fromFolders(ctx, dirs, labelled)
}

// fromFolders lists a folder for each class.
func (f *imageFiles) fromFolders(ctx context.Context, dirs []string, labelled bool) error {
	slices.Sort(dirs)
	if !f.known {
		f.classes = nil
		for _, dir := range dirs {
			f.classes = append(f.classes, storage.Base(strings.TrimSuffix(dir, "/")))
		}
	}
	for _, dir := range dirs {
		name := storage.Base(strings.TrimSuffix(dir, "/"))
		class := slices.Index(f.classes, name)
		if class < 0 && labelled {
			return f.unknown(dir, name)
		}
		files, err := storage.List(ctx, dir)
		if err != nil {
			return err
		}
		before := len(f.files)
		f.add(files, name+"/", max(class, 0))
		if labelled && !f.known && len(f.files) == before {
			return emptyClass(dir)
		}
		if err := f.checkDepth(ctx, dir); err != nil {
			return err
		}
	}
	if !labelled {
		f.classes = nil
	}
	return nil
}

// checkDepth fails if the folder of a class has folders with pictures.
func (f *imageFiles) checkDepth(ctx context.Context, dir string) error {
	below, err := storage.Directories(ctx, dir)
	if err != nil {
		return err
	}
	for _, deep := range below {
		if storage.Hidden(deep) {
			continue
		}
		files, err := storage.List(ctx, deep)
		if err != nil {
			return err
		}
		for _, file := range files {
			if isImage(file.URL) && !storage.Hidden(file.URL) {
				return deepPicture(file.URL)
			}
		}
	}
	return nil
}

// unknown returns the error for a class that is not one of the known ones.
func (f *imageFiles) unknown(where, name string) error {
	return &MismatchError{fmt.Errorf("%s: the class %q is none of %s", where, name, data.ShortList(f.classes))}
}

func (f *imageFiles) add(files []storage.Entry, prefix string, class int) {
	for _, file := range files {
		if isImage(file.URL) {
			f.files = append(f.files, imageFile{file.URL, prefix + storage.Base(file.URL), class})
		}
	}
}

func isImage(name string) bool {
	return !storage.Hidden(name) && slices.Contains(imageEndings, strings.ToLower(path.Ext(name)))
}

// folderOf returns the folder of a file or URL.
func folderOf(place string) string {
	if i := strings.LastIndexByte(place, '/'); i >= 0 {
		return place[:i]
	}
	return "."
}
