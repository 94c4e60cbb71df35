package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/random"
)

// picturesVariable is the environment variable that tells the peers the folder of pictures.
const picturesVariable = "DL4GO_BENCH_PICTURES"

// picturesFolder returns the folder with the pictures of the works "pictures" and "pngs", a subfolder for each format.
func picturesFolder() (string, error) {
	dir := filepath.Join(os.TempDir(), "dl4go-bench-pictures")
	return dir, os.Setenv(picturesVariable, dir)
}

// drawPictures draws four folders of 64 JPEGs or PNGs of 500 by 375 pixels: waves of colours with noise, about 60 kB
// each as a JPEG.
func drawPictures(dir, format string) error {
	for i := range 256 {
		m := image.NewRGBA(image.Rect(0, 0, 500, 375))
		for y := range 375 {
			for x := range 500 {
				wave := func(k int) uint8 {
					at := float64(x*(i%7+k)+y*(i%5+2*k)) / 90
					noise := float64(random.Mix(uint64(i), uint64(y*500+x))%16) - 8
					return uint8(128 + 110*math.Sin(at) + noise)
				}
				m.SetRGBA(x, y, color.RGBA{wave(1), wave(2), wave(3), 255})
			}
		}
		var file bytes.Buffer
		err := jpeg.Encode(&file, m, &jpeg.Options{Quality: 90})
		if format == "png" {
			file.Reset()
			err = png.Encode(&file, m)
		}
		if err != nil {
			return err
		}
		path := filepath.Join(dir, fmt.Sprintf("class%d/%03d.%s", i%4, i, format))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pictures reads the next 64 pictures of a format, and starts again after the last ones.
func pictures(format string) (func() error, error) {
	dir, err := picturesFolder()
	if err == nil {
		dir = filepath.Join(dir, format)
		err = drawPictures(dir, format)
	}
	if err != nil {
		return nil, err
	}
	name, err := source.Parse("images:" + dir + "?size=224x224&crop=true")
	if err != nil {
		return nil, err
	}
	var it data.Iterator
	return func() error {
		for {
			if it == nil {
				s, err := source.OpenStream(context.Background(), name, source.Options{})
				if err != nil {
					return err
				}
				it = data.Rebatch(s, batch)
			}
			_, err := it.Next()
			if err == io.EOF {
				it = nil
				continue
			}
			return err
		}
	}, nil
}
