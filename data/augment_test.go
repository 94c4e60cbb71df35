package data_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// pictures returns n pictures of two classes: 2 channels, 3 by 4 pixels, all numbers different.
func pictures(n int) *data.MultiDataSet {
	x, y := tensor.New(n, 2, 3, 4), tensor.New(n, 2)
	for i := range x.Data {
		x.Data[i] = float32(i + 1)
	}
	for i := range n {
		y.Data[2*i+i%2] = 1
	}
	return &data.MultiDataSet{Features: []*tensor.Dense{x}, Labels: []*tensor.Dense{y}}
}

func augmented(t *testing.T, spec string, m *data.MultiDataSet, key program.Key) *data.MultiDataSet {
	t.Helper()
	a, err := data.ParseAugmentation(spec)
	if err != nil {
		t.Fatal(err)
	}
	a.Channels, a.Height, a.Width = 2, 3, 4
	out, err := data.NewAugmenter(a).Apply(m, key)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAugmentForm: lists are written back as they were read, and bad lists are refused.
func TestAugmentForm(t *testing.T) {
	for _, spec := range []string{data.AugmentationForm, "none", "crop:3", "rotate:2.5,mixup:1"} {
		if a, err := data.ParseAugmentation(spec); err != nil || a.String() != spec {
			t.Errorf("%s: %v, %v", spec, a, err)
		}
	}
	for _, spec := range []string{"", "flip:1", "crop", "crop:0", "crop:x", "rotate:-1", "rotate:181", "scale:1",
		"mixup:3",
		"mixup:NaN", "flip,flip", "blur:2"} {
		if a, err := data.ParseAugmentation(spec); err == nil {
			t.Errorf("%q: %v", spec, a)
		}
	}
}

// TestAugmentIsKeyed: the change of an example depends on its place and on the key, not on its minibatch.
func TestAugmentIsKeyed(t *testing.T) {
	m := pictures(6)
	spec := "flip,flip-vertical,crop:1,rotate:10,scale:0.2,color:0.3,cutout:2"
	key := program.Key{Seed: 3, Epoch: 1, Example: 100}
	all := slices.Clone(augmented(t, spec, m, key).Features[0].Data)
	later := program.Key{Seed: 3, Epoch: 1, Example: 102}
	part := augmented(t, spec, m.Slice(2, 6), later).Features[0].Data
	if !slices.Equal(all[2*24:], part) {
		t.Error("an example changes otherwise in another minibatch")
	}
	if again := augmented(t, spec, m, key).Features[0].Data; !slices.Equal(all, again) {
		t.Error("the same key gives other numbers")
	}
	next := program.Key{Seed: 3, Epoch: 2, Example: 100}
	if other := augmented(t, spec, m, next).Features[0].Data; slices.Equal(all, other) {
		t.Error("another epoch gives the same numbers")
	}
	if m.Features[0].Data[5] != 6 {
		t.Error("the minibatch itself was changed")
	}
}

// TestAugmentMoves compares flips, moves and holes with all possible results, written out pixel by pixel.
func TestAugmentMoves(t *testing.T) {
	m := pictures(1)
	at := func(c, y, x int) float32 {
		if y < 0 || y > 2 || x < 0 || x > 3 {
			return 0
		}
		return m.Features[0].Data[(c*3+y)*4+x]
	}
	possible := map[string]bool{}
	for _, flip := range []bool{false, true} {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				possible[picture(func(c, y, x int) float32 {
					sx := x - dx
					if flip {
						sx = 3 - sx
					}
					return at(c, y-dy, sx)
				})] = true
			}
		}
	}
	seen := map[string]bool{}
	for i := range 400 {
		out := augmented(t, "flip,crop:1", m, program.Key{Seed: uint64(i)}).Features[0]
		seen[picture(func(c, y, x int) float32 { return out.Data[(c*3+y)*4+x] })] = true
	}
	for s := range seen {
		if !possible[s] {
			t.Fatalf("not possible:\n%s", s)
		}
	}
	if len(seen) != len(possible) {
		t.Errorf("%d of %d possible pictures came", len(seen), len(possible))
	}
}

// picture formats a picture's numbers.
func picture(at func(c, y, x int) float32) string {
	var b strings.Builder
	for c := range 2 {
		for y := range 3 {
			for x := range 4 {
				b.WriteString(strings.TrimRight(strings.TrimRight(formatFloat(at(c, y, x)), "0"), "."))
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

func formatFloat(x float32) string {
	return string(rune('0'+int(x)/10)) + string(rune('0'+int(x)%10)) + "."
}

// TestAugmentTurns: turning by 0 and scaling by 1 don't change the picture; a quarter turn turns a square.
func TestAugmentTurns(t *testing.T) {
	x := tensor.MustOf([]float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 1, 3, 3)
	m := &data.MultiDataSet{Features: []*tensor.Dense{x}}
	a := data.Augmentation{Rotate: 1e-9, Channels: 1, Height: 3, Width: 3}
	out, err := data.NewAugmenter(a).Apply(m, program.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out.Features[0].Data {
		if !near.Equal(v, x.Data[i], 1e-6, 0) {
			t.Fatalf("%v", out.Features[0].Data)
		}
	}
}

// TestAugmentMixup: rows are convex sums of two rows, with the same weights in features and labels.
func TestAugmentMixup(t *testing.T) {
	m := pictures(5)
	out := augmented(t, "mixup:0.4", m, program.Key{Seed: 9})
	x := out.Features[0]
	for i := range 5 {
		first, last := x.Data[i*24], x.Data[i*24+23]
		if d := last - first; !near.Equal(d, 23, 1e-3, 0) {
			t.Errorf("row %d is no mixture: %v to %v", i, first, last)
		}
		y := out.Labels[0].Data[2*i : 2*i+2]
		if s := y[0] + y[1]; !near.Equal(s, 1, 1e-6, 0) {
			t.Errorf("the labels of row %d: %v", i, y)
		}
	}
	if m.Labels[0].Data[0] != 1 {
		t.Error("the minibatch's own labels were changed")
	}
	masked := pictures(2)
	masked.LabelMasks = []*tensor.Dense{tensor.New(2, 1)}
	mixup := data.NewAugmenter(data.Augmentation{Mixup: 1, Channels: 2, Height: 3, Width: 4})
	if _, err := mixup.Apply(masked, program.Key{}); err == nil {
		t.Error("masks were mixed")
	}
	flip := data.NewAugmenter(data.Augmentation{Flip: true, Channels: 1, Height: 3, Width: 4})
	if _, err := flip.Apply(m, program.Key{}); err == nil {
		t.Error("pictures of another size were changed")
	}
}
