package pool

import "math"

// portable supports every geometry.
var portable = operations{
	max: func(p *Plan, x, y []float32) {
		in, out := p.InH*p.InW, p.OutH*p.OutW
		for ; len(y) > 0; x, y = x[in:], y[out:] {
			maxPlane(p, x[:in], y[:out])
		}
	},
	maxGrad: func(p *Plan, x, y, dy, dx []float32) {
		clear(dx)
		in, out := p.InH*p.InW, p.OutH*p.OutW
		for ; len(y) > 0; x, y, dy, dx = x[in:], y[out:], dy[out:], dx[in:] {
			maxGradPlane(p, x[:in], y[:out], dy[:out], dx[:in])
		}
	},
	average: func(p *Plan, x, y []float32) {
		in, out := p.InH*p.InW, p.OutH*p.OutW
		for ; len(y) > 0; x, y = x[in:], y[out:] {
			averagePlane(p, x[:in], y[:out])
		}
	},
	averageGrad: func(p *Plan, dy, dx []float32) {
		clear(dx)
		in, out := p.InH*p.InW, p.OutH*p.OutW
		for ; len(dy) > 0; dy, dx = dy[out:], dx[in:] {
			averageGradPlane(p, dy[:out], dx[:in])
		}
	},
}

func maxPlane(p *Plan, x, y []float32) {
	for oy, r := range p.rows {
		for ox, c := range p.cols {
			largest := float32(math.Inf(-1))
			for ky := range r.count {
				row := x[(r.first+ky*p.DilH)*p.InW:][:p.InW]
				for i, n := c.first, c.count; n > 0; i, n = i+p.DilW, n-1 {
					largest = max(largest, row[i])
				}
			}
			y[oy*p.OutW+ox] = largest
		}
	}
}

func maxGradPlane(p *Plan, x, y, dy, dx []float32) {
	for oy, r := range p.rows {
		for ox, c := range p.cols {
			o := oy*p.OutW + ox
			if i := find(p, x, r, c, y[o]); i >= 0 {
				dx[i] += dy[o]
			}
		}
	}
}

// find returns the index of the first element of a window that equals value, or the first NaN if value is NaN; -1 if
// there is none.
func find(p *Plan, x []float32, r, c window, value float32) int {
	for ky := range r.count {
		row := (r.first + ky*p.DilH) * p.InW
		for i, n := row+c.first, c.count; n > 0; i, n = i+p.DilW, n-1 {
			if v := x[i]; v == value || v != v && value != value {
				return i
			}
		}
	}
	return -1
}

func averagePlane(p *Plan, x, y []float32) {
	for oy, r := range p.rows {
		for ox, c := range p.cols {
			sum := float32(0)
			for ky := range r.count {
				row := x[(r.first+ky*p.DilH)*p.InW:][:p.InW]
				for i, n := c.first, c.count; n > 0; i, n = i+p.DilW, n-1 {
					sum += row[i]
				}
			}
			y[oy*p.OutW+ox] = sum / p.divisor(r, c)
		}
	}
}

func averageGradPlane(p *Plan, dy, dx []float32) {
	for oy, r := range p.rows {
		for ox, c := range p.cols {
			d := dy[oy*p.OutW+ox] / p.divisor(r, c)
			for ky := range r.count {
				row := dx[(r.first+ky*p.DilH)*p.InW:][:p.InW]
				for i, n := c.first, c.count; n > 0; i, n = i+p.DilW, n-1 {
					row[i] += d
				}
			}
		}
	}
}

// divisor returns the divisor of the sum of a window.
func (p *Plan) divisor(r, c window) float32 {
	if p.IncludePad {
		return float32(p.KH * p.KW)
	}
	return float32(max(1, r.count*c.count))
}
