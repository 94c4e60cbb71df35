package stats

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/dl4go/dl4go/storage"
)

// Rates is the curve of a test of learning rates: the loss at rising rates. See train.FindLearningRate.
type Rates struct {
	Rate []float64 `json:"rate"`
	Loss []float64 `json:"loss"`
	// Smoothed is the moving average of the loss, without the bias of its beginning.
	Smoothed []float64 `json:"smoothed"`

	average float64
}

// The smoothing of the loss, and the multiple of the lowest loss that ends a test.
const (
	smoothing = 0.9
	tooMuch   = 4
)

// Add adds a step, and reports whether the loss has diverged.
func (r *Rates) Add(rate, loss float64) (over bool) {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return true
	}
	r.average = smoothing*r.average + (1-smoothing)*loss
	s := r.average / (1 - math.Pow(smoothing, float64(len(r.Loss)+1)))
	r.Rate, r.Loss, r.Smoothed = append(r.Rate, rate), append(r.Loss, loss), append(r.Smoothed, s)
	return len(r.Loss) > 10 && s > tooMuch*r.Smoothed[r.least()]
}

// least returns the step with the lowest smoothed loss.
func (r *Rates) least() int {
	at := 0
	for i, s := range r.Smoothed {
		if s < r.Smoothed[at] {
			at = i
		}
	}
	return at
}

// leastFall is the fraction by which the loss must fall for a rate to be proposed.
const leastFall = 0.01

// begun is the share of the whole fall that the smoothed loss has fallen when the fall has begun.
const begun = 0.1

// Proposed returns the rate at which the smoothed loss falls most steeply before its minimum, but at most a tenth of
// the rate at the minimum, because the smoothed loss lags behind. ok is false if the loss does not fall.
func (r *Rates) Proposed() (rate float64, ok bool) {
	if len(r.Loss) < 3 {
		return 0, false
	}
	end := r.least()
	usual := median(r.Smoothed[:end/4+1]) // at rates that change nothing
	fall := usual - r.Smoothed[end]
	if fall <= leastFall*math.Abs(usual) {
		return 0, false
	}
	begin := end // of the fall; minibatches differ before it
	for begin > 1 && r.Smoothed[begin] < usual-begun*fall {
		begin--
	}
	steepest := 0.0
	for i := max(1, begin); i < min(end+1, len(r.Smoothed)-1); i++ {
		slope := (r.Smoothed[i+1] - r.Smoothed[i-1]) / math.Log(r.Rate[i+1]/r.Rate[i-1])
		if slope < steepest {
			steepest, rate = slope, r.Rate[i]
		}
	}
	return min(rate, r.Rate[end]/10), rate > 0
}

// RatesEndingError means that a file's extension does not select a format of [Rates].
type RatesEndingError struct{ Path string }

func (e *RatesEndingError) Error() string {
	return fmt.Sprintf("%s: the curve is written as .html or .json, by the ending of the file's name", e.Path)
}

// CheckRatesEnding returns a *RatesEndingError if the extension does not select a format for Export.
func CheckRatesEnding(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".json":
		return nil
	}
	return &RatesEndingError{path}
}

// Export writes the curve to a file, a page or JSON by its extension.
func (r *Rates) Export(ctx context.Context, path, title string) error {
	if err := CheckRatesEnding(path); err != nil {
		return err
	}
	return storage.WriteFile(ctx, path, func(w io.Writer) error {
		if strings.EqualFold(filepath.Ext(path), ".html") {
			return r.writePage(w, title)
		}
		out := struct {
			*Rates
			Proposed float64 `json:"proposed,omitempty"`
		}{Rates: r}
		out.Proposed, _ = r.Proposed()
		return json.NewEncoder(w).Encode(out)
	})
}

// Table returns the curve in lines, with at most the given number of steps.
func (r *Rates) Table(most int) []string {
	lines := []string{fmt.Sprintf("%12s %12s %12s", "rate", "loss", "smoothed")}
	every := max(1, (len(r.Rate)+most-1)/most)
	for i := 0; i < len(r.Rate); i += every {
		lines = append(lines, fmt.Sprintf("%12.3g %12.5g %12.5g", r.Rate[i], r.Loss[i], r.Smoothed[i]))
	}
	return lines
}

func (r *Rates) writePage(w io.Writer, title string) error {
	var b strings.Builder
	about := "The smoothed loss does not fall: no rate is proposed."
	proposed, ok := r.Proposed()
	if ok {
		about = fmt.Sprintf("Proposed learning rate: <b>%.3g</b>, where the loss falls well, and not yet close to where "+
			"it rises.", proposed)
	}
	Frame{}.begin(&b, title)
	fmt.Fprintf(&b, "<p>%s</p>\n", about)
	r.writeCurve(&b, proposed)
	b.WriteString("<table><thead><tr><th>learning rate</th><th>loss</th><th>smoothed</th></tr></thead>\n")
	for i := range r.Rate {
		fmt.Fprintf(&b, "<tr><td>%.3g</td><td>%.5g</td><td>%.5g</td></tr>\n", r.Rate[i], r.Loss[i], r.Smoothed[i])
	}
	b.WriteString("</table>\n")
	Frame{}.end(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCurve draws the loss and the smoothed loss over the logarithm of the rate.
func (r *Rates) writeCurve(b *strings.Builder, proposed float64) {
	if len(r.Rate) < 2 {
		return
	}
	last := len(r.Rate) - 1
	low, high := math.Log10(r.Rate[0]), math.Log10(r.Rate[last])
	bottom, top := r.Smoothed[r.least()], r.Smoothed[0]
	for i := range r.Loss {
		bottom, top = min(bottom, r.Loss[i]), max(top, min(r.Loss[i], 2*r.Smoothed[0]))
	}
	x := func(rate float64) float64 {
		return chartLeft + (math.Log10(rate)-low)/(high-low)*(chartRight-chartLeft)
	}
	y := func(loss float64) float64 {
		return chartBottom - (min(loss, top)-bottom)/max(top-bottom, 1e-12)*(chartBottom-chartTop)
	}
	fmt.Fprintf(b, "<figure class=\"chart\"><figcaption>loss by learning rate</figcaption><svg viewBox=\"0 0 %d %d\" "+
		"role=\"img\" aria-label=\"loss by learning rate\">\n", chartWidth, chartHeight)
	for e := math.Ceil(low - 1e-9); e <= high+1e-9; e++ {
		at := x(math.Pow(10, e))
		fmt.Fprintf(b, "<path d=\"M%.1f %dV%d\" stroke=\"var(--grid)\"/><text class=\"faint\" x=\"%.1f\" y=\"%d\" "+
			"text-anchor=\"middle\">1e%.0f</text>\n", at, chartTop, chartBottom, at, chartBottom+17, e)
	}
	for _, v := range []float64{bottom, (bottom + top) / 2, top} {
		fmt.Fprintf(b, "<text class=\"faint\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n", chartLeft-6, y(v)+4, v)
	}
	for i, values := range [][]float64{r.Loss, r.Smoothed} {
		var path strings.Builder
		for k, v := range values {
			fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[k == 0], x(r.Rate[k]), y(v))
		}
		fmt.Fprintf(b, "<path d=\"%s\" fill=\"none\" stroke=\"var(--p13)\" stroke-width=\"%d\" stroke-opacity=\"%.1f\">"+
			"<title>%s</title></path>\n", path.String(), i+1, 0.5+0.5*float64(i), []string{"loss", "smoothed loss"}[i])
	}
	if proposed > 0 {
		fmt.Fprintf(b, "<path d=\"M%.1f %dV%d\" stroke=\"var(--p17)\" stroke-width=\"2\"><title>proposed: %.3g</title>"+
			"</path>\n", x(proposed), chartTop, chartBottom, proposed)
	}
	b.WriteString("</svg></figure>\n")
}
