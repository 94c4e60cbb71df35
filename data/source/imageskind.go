package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/picture"
)

func init() { Register("images", imagesKind{}) }

// imagesKind is images:DIRECTORY?size=HxW&….
type imagesKind struct{}

func (imagesKind) About() About {
	return About{
		Form: "images:DIRECTORY?size=HxW",
		Text: "pictures, a folder for each class",
		More: `JPEG, PNG, GIF, BMP and WebP. A folder without folders in it, or one picture, has no labels.
images:LIST.csv has the paths in the column "path", or in the first one, and the classes in the column
"label", or in the second.`,
		Directories: true,
		Settings: []Setting{
			{Name: "size", Value: "HxW", Text: "size that images are brought to", Default: "all have one size"},
			{Name: "crop", Text: "keep the shape, and cut off what is too wide or too high", Switch: true, Rare: true},
			{Name: "channels", Value: "MODE", Text: "rgb, bgr or grey (default rgb)", Offer: picture.Modes, Rare: true},
			{Name: "brightest", Value: "1|255", Text: "the number for the brightest pixel (default 1)", Rare: true,
				Offer: []string{"1", "255"}},
			{Name: "names", Value: "LIST", Text: "the classes, in order", List: true},
			{Name: "label", Value: "COLUMNS", Text: "label columns", Default: `the column "label"`},
			{Name: "path", Value: "COLUMN", Text: "column of the paths in a list", Default: `the column "path"`, Rare: true},
			badPicturesSetting,
		},
	}
}

func (imagesKind) Check(n Name, _ Options) error {
	_, err := imagesOf(n, nil)
	return err
}

func (imagesKind) Open(ctx context.Context, n Name, o Options) (Source, error) {
	c, err := imagesOf(n, o.As)
	if err != nil {
		return nil, err
	}
	f, err := findImages(ctx, n, c, o)
	if err != nil {
		return nil, err
	}
	return f.table(ctx)
}

func (imagesKind) Stream(ctx context.Context, n Name, o Options) (Examples, error) {
	c, err := imagesOf(n, o.As)
	if err != nil {
		return nil, err
	}
	f, err := findImages(ctx, n, c, o)
	if err != nil {
		return nil, err
	}
	return f.stream(ctx), nil
}

// Streams is true for all places but standard input, as the files are listed before the first one is read.
func (imagesKind) Streams(n Name, _ Options) bool { return n.Place != "-" }

// imageConf holds the values of the settings.
type imageConf struct {
	height, width int // 0: the first image's
	crop          bool
	mode          picture.Mode
	brightest     float32
	names         []string
	label, path   string // columns of a list
	bad           *BadRows
}

// SkipsFiles returns which pictures are skipped.
func (imagesKind) SkipsFiles(n Name) *BadRows {
	bad := n.BadRows()
	if bad == nil {
		bad = &BadRows{}
	}
	bad.Of = "picture"
	return bad
}

// modelled are the settings that a model keeps: they decide how a picture becomes numbers.
var modelled = []string{"size", "crop", "channels", "brightest"}

// imagesOf reads the settings of a name. Those that it does not have are the model's, if as has any.
func imagesOf(n Name, as *data.Schema) (c imageConf, err error) {
	if n.Place == "" {
		return c, specf("a folder, a picture or a list is needed: images:DIRECTORY")
	}
	if as != nil {
		n.Settings = maps.Clone(n.Settings)
		for _, name := range modelled {
			if _, given := n.Settings[name]; !given && as.Images[name] != "" {
				if n.Settings == nil {
					n.Settings = map[string]string{}
				}
				n.Settings[name] = as.Images[name]
			}
		}
	}
	if size, ok := n.Settings["size"]; ok {
		if c.height, c.width, err = imageSize(size); err != nil {
			return c, &SettingError{"size", size, err.Error()}
		}
	}
	crop, err := n.flag("crop")
	if err != nil {
		return c, err
	}
	if c.crop = crop != nil && *crop; c.crop && c.height == 0 {
		return c, &SettingError{"crop", n.Settings["crop"], "size=HxW is needed with it"}
	}
	c.mode = picture.RGB
	if mode, ok := n.Settings["channels"]; ok {
		if c.mode = picture.Mode(mode); !slices.Contains(picture.Modes, mode) {
			return c, &SettingError{"channels", mode, "one of " + strings.Join(picture.Modes, ", ") + " should be here"}
		}
	}
	c.brightest = 1
	switch b := n.Settings["brightest"]; b {
	case "", "1":
	case "255":
		c.brightest = 255
	default:
		return c, &SettingError{"brightest", b, "1 or 255 should be here"}
	}
	if list, ok := n.Settings["names"]; ok {
		c.names = Values(list)
	}
	c.label, c.path = n.Settings["label"], n.Settings["path"]
	if c.bad = (imagesKind{}).SkipsFiles(n); c.bad.Ragged || n.CheckBadRows() != nil {
		return c, &SettingError{badPicturesSetting.Name, n.Settings[badPicturesSetting.Name],
			"fail, or skip:N for up to N pictures, should be here"}
	}
	return c, nil
}

// settings returns the settings that a model keeps. The size is among them if sized is set: if the user gave it.
func (c imageConf) settings(sized bool) map[string]string {
	s := map[string]string{"channels": string(c.mode), "brightest": strconv.Itoa(int(c.brightest))}
	if sized {
		s["size"], s["crop"] = fmt.Sprintf("%dx%d", c.height, c.width), strconv.FormatBool(c.crop)
	}
	return s
}

// ImageShape returns the shape of a picture that a model takes: channels, height and width. It is nil if the model's
// names do not say the size, which they do if the size was chosen for training. s may be nil.
func ImageShape(s *data.Schema) []int {
	if s == nil {
		return nil
	}
	c, err := imagesOf(Name{Place: "-"}, s)
	if err != nil || c.height == 0 {
		return nil
	}
	return []int{c.mode.Channels(), c.height, c.width}
}

// maxSide limits the size to which images are scaled.
const maxSide = 1 << 13

// imageSize parses 224x224, or 224 for both sides.
func imageSize(s string) (height, width int, err error) {
	h, w, two := strings.Cut(strings.ToLower(s), "x")
	if !two {
		w = h
	}
	height, errH := strconv.Atoi(h)
	width, errW := strconv.Atoi(w)
	if errH != nil || errW != nil || min(height, width) < 1 || max(height, width) > maxSide {
		return 0, 0, fmt.Errorf("HEIGHTxWIDTH should be here, from 1x1 to %dx%d", maxSide, maxSide)
	}
	return height, width, nil
}
