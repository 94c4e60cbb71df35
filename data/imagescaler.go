package data

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// ImageScaler scales pixels from [0, MaxPixel] to [Min, Max]: x → x / MaxPixel · (Max − Min) + Min. Labels do not
// change.
//
// If Features is nil, it is Deeplearning4j's ImagePreProcessingScaler. Otherwise it is ImageMultiPreProcessingScaler,
// which has no form in files. Deeplearning4j differs: its revert fails if the labels are not images.
type ImageScaler struct {
	Min, Max, MaxPixel float64
	// Features are the indices of the arrays of features that are images. Nil means that all are.
	Features []int
}

// NewImageScaler returns a scaler of bytes, from [0, 255] to [0, 1].
func NewImageScaler() *ImageScaler { return &ImageScaler{Min: 0, Max: 1, MaxPixel: 255} }

// images returns the arrays to scale.
func (s *ImageScaler) images(m *MultiDataSet) ([]*tensor.Dense, error) {
	if s.Features == nil {
		return m.Features, nil
	}
	var list []*tensor.Dense
	for i, a := range s.Features {
		if a < 0 || a >= len(m.Features) {
			return nil, fmt.Errorf("the image scaler is for array %d of the features, and there are %d", a, len(m.Features))
		}
		if !slices.Contains(s.Features[:i], a) {
			list = append(list, m.Features[a])
		}
	}
	return list, nil
}

// Transform scales the features in place.
func (s *ImageScaler) Transform(m *MultiDataSet) error {
	if err := m.Validate(); err != nil {
		return err
	}
	unshare(m)
	brightest, width, offset := float32(s.MaxPixel), float32(s.Max-s.Min), float32(s.Min)
	images, err := s.images(m)
	if err != nil {
		return err
	}
	for _, a := range images {
		for i, x := range a.Data {
			a.Data[i] = x/brightest*width + offset
		}
	}
	return nil
}

// Revert undoes Transform.
func (s *ImageScaler) Revert(m *MultiDataSet) error {
	if err := m.Validate(); err != nil {
		return err
	}
	unshare(m)
	brightest, width, offset := float32(s.MaxPixel), float32(s.Max-s.Min), float32(s.Min)
	images, err := s.images(m)
	if err != nil {
		return err
	}
	for _, a := range images {
		for i, x := range a.Data {
			a.Data[i] = (x - offset) / width * brightest
		}
	}
	return nil
}

// VGG16Normalizer subtracts from each channel of images its mean over the data that the VGG networks were trained on.
// The channels are blue, green and red, in this order. Labels do not change. It is Deeplearning4j's
// VGG16ImagePreProcessor, which has no form in files.
type VGG16Normalizer struct{}

var vgg16Mean = [3]float32{103.939, 116.779, 123.68}

// Transform subtracts the means from the features [batch, 3, height, width] in place.
func (VGG16Normalizer) Transform(m *MultiDataSet) error { return addVGG16(m, -1) }

// Revert undoes Transform.
func (VGG16Normalizer) Revert(m *MultiDataSet) error { return addVGG16(m, 1) }

func addVGG16(m *MultiDataSet, sign float32) error {
	if err := m.Validate(); err != nil {
		return err
	}
	unshare(m)
	for i, a := range m.Features {
		if err := checkColumns(a, 3, "features", i); err != nil {
			return err
		}
		each(a, func(_, channel int, run []float32) {
			for j := range run {
				run[j] += sign * vgg16Mean[channel]
			}
		})
	}
	return nil
}
