package data

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Augmentation changes pictures randomly while a network is trained on them, so that it sees more variety. The changes
// to an example depend only on the run's seed, the epoch and the example's place in the epoch's order. So a run gives
// the same bits on any engine, and after a resume. The zero value changes nothing. Deeplearning4j differs: its
// ImageTransform (FlipImageTransform, CropImageTransform, RotateImageTransform, ScaleImageTransform and others)
// belongs to the record reader, with random numbers that depend on the time.
type Augmentation struct {
	// Flip mirrors left and right with probability 1/2, FlipVertical top and bottom.
	Flip, FlipVertical bool
	// Crop moves the picture by up to this many pixels in each direction. Uncovered pixels become 0.
	Crop int
	// Rotate turns the picture by up to this many degrees in either direction.
	Rotate float64
	// Scale enlarges or shrinks the picture by up to this factor: 0.1 means 0.9 to 1.1 times the size.
	Scale float64
	// Color changes brightness, contrast and, with three channels, saturation by factors from 1-Color to 1+Color.
	Color float64
	// Cutout sets a square with sides of this many pixels to 0, at a random place (DeVries and Taylor, 2017).
	Cutout int
	// Mixup mixes each example, including its labels, with another one of the minibatch. The weights are drawn from
	// the beta distribution with both parameters Mixup, once per minibatch (Zhang and others, 2017). 0.2 is usual.
	Mixup float64

	// Channels, Height and Width are the size of the pictures: those of the first array of features. A row holds its
	// pixels in this order.
	Channels, Height, Width int
}

// AugmentationForm is an example of a text for [ParseAugmentation], with all changes.
const AugmentationForm = "flip,flip-vertical,crop:4,rotate:15,scale:0.1,color:0.2,cutout:8,mixup:0.2"

// ParseAugmentation reads a list of changes, such as "flip,crop:4", or "none". [AugmentationForm] shows all changes.
func ParseAugmentation(text string) (a Augmentation, err error) {
	if text == "none" {
		return a, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, given := strings.Cut(strings.TrimSpace(part), ":")
		if seen[name] {
			return a, fmt.Errorf("%s is there twice", name)
		}
		seen[name] = true
		switch name {
		case "flip", "flip-vertical":
			if given {
				return a, fmt.Errorf("%s has no value: write %s", name, name)
			}
			a.Flip = a.Flip || name == "flip"
			a.FlipVertical = a.FlipVertical || name != "flip"
		case "crop":
			a.Crop, err = augmentPixels(name, value)
		case "cutout":
			a.Cutout, err = augmentPixels(name, value)
		case "rotate":
			a.Rotate, err = augmentAmount(name, value, 180)
		case "scale":
			a.Scale, err = augmentAmount(name, value, 0.9)
		case "color":
			a.Color, err = augmentAmount(name, value, 1)
		case "mixup":
			a.Mixup, err = augmentAmount(name, value, 2)
		default:
			return a, fmt.Errorf("%q is not a change: the form is %s", name, AugmentationForm)
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// String returns the list of changes for ParseAugmentation.
func (a Augmentation) String() string {
	var parts []string
	add := func(there bool, part string) {
		if there {
			parts = append(parts, part)
		}
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	add(a.Flip, "flip")
	add(a.FlipVertical, "flip-vertical")
	add(a.Crop > 0, "crop:"+strconv.Itoa(a.Crop))
	add(a.Rotate > 0, "rotate:"+number(a.Rotate))
	add(a.Scale > 0, "scale:"+number(a.Scale))
	add(a.Color > 0, "color:"+number(a.Color))
	add(a.Cutout > 0, "cutout:"+strconv.Itoa(a.Cutout))
	add(a.Mixup > 0, "mixup:"+number(a.Mixup))
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ",")
}

// maxAugmentPixels is the maximum size in pixels of moves and holes.
const maxAugmentPixels = 1 << 13

func augmentPixels(name, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxAugmentPixels {
		return 0, fmt.Errorf("%s:%s: give a number of pixels from 1 to %d", name, value, maxAugmentPixels)
	}
	return n, nil
}

func augmentAmount(name, value string, most float64) (float64, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x > 0) || x > most {
		return 0, fmt.Errorf("%s:%s: give a number above 0 and up to %v", name, value, most)
	}
	return x, nil
}

// Changes reports whether the augmentation changes anything.
func (a Augmentation) Changes() bool {
	a.Channels, a.Height, a.Width = 0, 0, 0
	return a != Augmentation{}
}

// check refuses features that are not the pictures.
func (a Augmentation) check(m *MultiDataSet) error {
	if size := a.Channels * a.Height * a.Width; size == 0 || len(m.Features) == 0 || m.Features[0].RowSize() != size {
		return fmt.Errorf("augmentation is for pictures of %d channels and %d by %d pixels, and the examples are others",
			a.Channels, a.Height, a.Width)
	}
	if a.Mixup > 0 && (len(m.FeatureMasks) > 0 || len(m.LabelMasks) > 0) {
		return fmt.Errorf("mixup can't mix examples with masks")
	}
	if a.Mixup > 0 && m.Weights != nil {
		return fmt.Errorf("mixup can't mix examples with weights")
	}
	return nil
}

// radians is the largest angle.
func (a Augmentation) radians() float64 { return a.Rotate * math.Pi / 180 }
