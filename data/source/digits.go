package source

import (
	"bytes"
	"context"
	_ "embed"
	"strings"
)

func init() { Register("digits", digitsKind{}) }

// digitsKind is digits, digits:train and digits:test.
type digitsKind struct{}

func (digitsKind) About() About {
	return About{Form: "digits, digits:train, digits:test", Text: "1,797 images of handwritten digits, built in"}
}

func (digitsKind) Check(n Name, _ Options) error {
	switch {
	case n.Place == "" && strings.Contains(n.Text, ":"):
		return specf("a part is missing: digits:train or digits:test")
	case n.Place != "" && n.Place != "train" && n.Place != "test":
		return specf("digits has the parts train and test, not %q", n.Place)
	}
	return nil
}

func (digitsKind) Open(_ context.Context, n Name, _ Options) (Source, error) { return Digits(n.Place) }

// Halves returns the names of the parts for training and for testing, of all digits or of the training part.
func (digitsKind) Halves(n Name) (train, test Name, ok bool) {
	part := func(name string) Name { return Name{Kind: n.Kind, Place: name, Text: n.Kind + ":" + name} }
	return part("train"), part("test"), n.Place == "" || n.Place == "train"
}

var (
	//go:embed digits/images-idx3-ubyte.gz
	digitImages []byte
	//go:embed digits/labels-idx1-ubyte.gz
	digitLabels []byte
)

// Digits returns the "Optical Recognition of Handwritten Digits" of the UCI Machine Learning Repository (E. Alpaydin
// and C. Kaynak, CC BY 4.0): 1797 images of 8x8 pixels, scaled from 0 … 16 to [0, 1], as features [64]; labels [10] are
// one-hot. part is "" for all of them, "test" for every sixth, beginning with the first (300), or "train" for the other
// 1497.
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

// everySixth returns every sixth example, beginning with the first, or all others.
func everySixth(t Table, name string, these bool) Table {
	var indices []int
	for i := range t.Objects() {
		if i%6 == 0 == these {
			indices = append(indices, i)
		}
	}
	return Subset(t, name, indices)
}
