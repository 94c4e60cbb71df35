package source

import (
	"bytes"
	_ "embed"
)

var (
	//go:embed digits/images-idx3-ubyte.gz
	digitImages []byte
	//go:embed digits/labels-idx1-ubyte.gz
	digitLabels []byte
)

// Digits gives the "Optical Recognition of Handwritten Digits" of the UCI Machine Learning Repository (E. Alpaydin and
// C. Kaynak, CC BY 4.0): 1797 images of 8x8 pixels, scaled from 0 … 16 to [0, 1], as features [64]; labels [10] are
// one-hot. part is "" for all of them; "test" for every sixth, from the first on: 300; "train" for the other 1497.
func Digits(part string) (Table, error) {
	images, err := readIDX(bytes.NewReader(digitImages), -1)
	if err != nil {
		return nil, err
	}
	labels, err := readIDX(bytes.NewReader(digitLabels), -1)
	if err != nil {
		return nil, err
	}
	all := imageTable(imageInfo("digits", images.shape, 10), images, labels, 16)
	all.info.LabelNames = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	switch part {
	case "":
		return all, nil
	case "train":
		return everySixth(all, "digits:train", false), nil
	case "test":
		return everySixth(all, "digits:test", true), nil
	}
	return nil, specf("digits has the parts train and test, not %q", part)
}

// everySixth gives every sixth example, from the first on, or all others.
func everySixth(t Table, name string, these bool) Table {
	var indices []int
	for i := range t.Objects() {
		if i%6 == 0 == these {
			indices = append(indices, i)
		}
	}
	return Subset(t, name, indices)
}
