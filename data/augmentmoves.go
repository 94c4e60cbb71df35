package data

import "math"

// geometry describes where the pixels of a picture move.
type geometry struct {
	flip, flipVertical bool
	dx, dy             int // pixels to the right and down
	width, height      int
}

// move flips one channel and shifts it by whole pixels. Uncovered pixels become 0.
func (g geometry) move(to, from []float32) {
	for y := range g.height {
		line := to[y*g.width : (y+1)*g.width]
		sy := y - g.dy
		if g.flipVertical {
			sy = g.height - 1 - sy
		}
		if sy < 0 || sy >= g.height {
			clear(line)
			continue
		}
		source := from[sy*g.width : (sy+1)*g.width]
		for x := range line {
			sx := x - g.dx
			if g.flip {
				sx = g.width - 1 - sx
			}
			line[x] = 0
			if sx >= 0 && sx < g.width {
				line[x] = source[sx]
			}
		}
	}
}

// turn also turns one channel about its middle by an angle and scales it, by bilinear interpolation.
func (g geometry) turn(to, from []float32, angle, scale float64) {
	sin, cos := math.Sincos(angle)
	sin, cos = sin/scale, cos/scale
	middleX, middleY := float64(g.width-1)/2, float64(g.height-1)/2
	for y := range g.height {
		for x := range g.width {
			u, v := float64(x-g.dx)-middleX, float64(y-g.dy)-middleY
			if g.flip {
				u = -u
			}
			if g.flipVertical {
				v = -v
			}
			sx, sy := float64(cos*u)+float64(sin*v)+middleX, float64(cos*v)-float64(sin*u)+middleY
			to[y*g.width+x] = g.sample(from, sx, sy)
		}
	}
}

// sample returns the interpolated value at a point; 0 outside the picture.
func (g geometry) sample(from []float32, x, y float64) float32 {
	fx, fy := math.Floor(x), math.Floor(y)
	if fx < -1 || fy < -1 || fx >= float64(g.width) || fy >= float64(g.height) {
		return 0
	}
	at := func(x, y int) float32 {
		if x < 0 || y < 0 || x >= g.width || y >= g.height {
			return 0
		}
		return from[y*g.width+x]
	}
	ix, iy := int(fx), int(fy)
	right, down := float32(x-fx), float32(y-fy)
	top := float32((1-right)*at(ix, iy)) + float32(right*at(ix+1, iy))
	bottom := float32((1-right)*at(ix, iy+1)) + float32(right*at(ix+1, iy+1))
	return float32((1-down)*top) + float32(down*bottom)
}

// colour multiplies brightness, then moves the numbers away from the picture's mean, or to it, by the contrast, then
// each pixel's channels away from their mean by the saturation.
func colour(x []float32, channels int, brightness, contrast, saturation float32) {
	sum := 0.0
	for i, v := range x {
		x[i] = v * brightness
		sum += float64(x[i])
	}
	mean := float32(sum / float64(len(x)))
	for i, v := range x {
		x[i] = mean + float32(contrast*(v-mean))
	}
	if channels != 3 {
		return
	}
	n := len(x) / 3
	for i := range n {
		grey := (x[i] + x[n+i] + x[2*n+i]) / 3
		for c := range 3 {
			x[c*n+i] = grey + float32(saturation*(x[c*n+i]-grey))
		}
	}
}
