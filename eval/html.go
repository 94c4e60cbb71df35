package eval

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// maxCharted is the maximum number of classes whose charts are on a page.
const maxCharted = 100

// WriteHTML writes a page with the charts and the reports of evaluations (Deeplearning4j:
// EvaluationTools.rocChartToHtml, exportRocChartsToHtmlFile and others): ROC and precision-recall curves, reliability
// diagrams, residuals and probabilities, and confusion matrices as heat maps. The page needs no other file, no script
// and no network.
func WriteHTML(w io.Writer, title string, evals ...Evaluator) error {
	return Page{title, evals, nil}.Write(w)
}

// Page is the page of [WriteHTML], with single examples as well.
type Page struct {
	Title string
	Evals []Evaluator
	Cases *Cases // nil for none
}

// Write writes the page.
func (p Page) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, page, html.EscapeString(p.Title), html.EscapeString(p.Title))
	for i, e := range p.Evals {
		if e == nil {
			return fmt.Errorf("evaluation %d is nil", i)
		}
		writeSection(&b, e)
	}
	if p.Cases != nil {
		p.Cases.write(&b)
	}
	b.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>%s</title>
<style>
:root { color-scheme: light dark; --ink: #222; --faint: #555; --grid: #e4e4e4; --line: #999; --back: #fff; --soft: #f6f6f6 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --faint: #9aa6b2; --grid: #30363d; --line: #7d8894; --back: #0d1117; --soft: #161b22 }
  svg path, svg circle, svg rect, .legend i { filter: brightness(1.35) }
}
body { font: 15px/1.4 system-ui, sans-serif; margin: 0 auto; padding: 1.2em min(2em, 4vw) 3em; max-width: 1500px; color: var(--ink); background: var(--back) }
h2 { margin: 1.6em 0 .4em; border-bottom: 1px solid var(--grid) }
p { margin: .4em 0; max-width: 60em; color: var(--faint) }
pre { font: 13px/1.35 ui-monospace, monospace; background: var(--soft); padding: .8em; overflow-x: auto }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%%, 440px), 490px)); gap: .5em 1.5em; align-items: end }
figure { margin: .5em 0; min-width: 0 }
figcaption { font-weight: 600; margin-bottom: .2em; min-height: 2.8em; display: flex; flex-direction: column; justify-content: end }
figcaption small { font-weight: 400; color: var(--faint) }
svg { max-width: 100%%; height: auto; fill: none }
svg text { font: 12px system-ui, sans-serif; fill: var(--faint) }
svg .grid { stroke: var(--grid); filter: none }
svg .axis { stroke: var(--faint); filter: none }
svg .guess { stroke: var(--line); filter: none }
.wide { overflow-x: auto; margin: .6em 0 } .wide:focus-visible { outline: 2px solid #2980b9 }
.heat { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
.heat th { font-weight: 400; padding: .2em .5em; text-align: left }
.heat td { min-width: 2.4em; padding: .3em; text-align: center; border: 1px solid var(--grid) }
.right { background: color-mix(in srgb, #2980b9 var(--share), transparent) }
.wrong { background: color-mix(in srgb, #d62728 var(--share), transparent) }
h3 { font-size: 1em; margin: 1.2em 0 .2em } ol { margin: .2em 0 }
.legend { font-size: 13px; columns: 2; margin: .2em 0; padding: 0; list-style: none }
.legend i { display: inline-block; width: 1em; height: .25em; margin-right: .5em; vertical-align: middle }
.cases { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums }
.cases th, .cases td { padding: .25em .7em; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap }
.cases th { font-weight: 400 } .cases thead th { font-weight: 600 }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(130px, 1fr)); gap: 1em; margin: .6em 0 }
.card { margin: 0; padding: .6em; background: var(--soft); border: 1px solid var(--grid); border-radius: 4px }
.card img { display: block; width: 100%%; image-rendering: pixelated; border-radius: 2px }
.card figcaption { display: block; min-height: 0; margin: .4em 0 0; overflow-wrap: anywhere } .card small { display: block }
</style>
</head>
<body>
<h1>%s</h1>
`

func writeSection(b *strings.Builder, e Evaluator) {
	name := strings.TrimPrefix(fmt.Sprintf("%T", e), "*eval.")
	fmt.Fprintf(b, "<h2>%s</h2>\n", html.EscapeString(name))
	switch e := e.(type) {
	case *ROC:
		writeROCs(b, nil, []*ROC{e})
	case *ROCBinary:
		writeROCs(b, e.Labels, e.of)
	case *ROCMultiClass:
		writeROCs(b, e.Labels, e.of)
	case *EvaluationBinary:
		if e.ROC != nil {
			writeROCs(b, e.Labels, e.ROC.of)
		}
	case *Evaluation:
		writeHeatMap(b, e)
	case *EvaluationCalibration:
		writeCalibration(b, e)
	}
	fmt.Fprintf(b, "<pre>%s</pre>\n", html.EscapeString(strings.Trim(e.Stats(), "\n")))
}

func writeROCs(b *strings.Builder, labels []string, rocs []*ROC) {
	left := cut(&rocs)
	roc := chart{title: "ROC", x: "false positive rate", y: "true positive rate",
		note: "the nearer to the upper left the better; dashed: what guessing gives", diagonal: true}
	pr := chart{title: "Precision and recall", x: "recall", y: "precision",
		note: "the nearer to the upper right the better"}
	for i, r := range rocs {
		if r.examples == 0 {
			continue
		}
		name := ""
		if len(rocs) > 1 || len(labels) > 0 {
			name = outputName(labels, i) + ": "
		}
		c, p := r.both()
		roc.lines = append(roc.lines, line{fmt.Sprintf("%sAUC %s", name, fixed(c.AUC(), 4)), c.FPR, c.TPR, false})
		pr.lines = append(pr.lines, line{fmt.Sprintf("%sAUCPR %s", name, fixed(p.AUCPR(), 4)), p.Recall, p.Precision, false})
	}
	if len(roc.lines) > 0 {
		charts(b, func() {
			roc.write(b)
			pr.write(b)
		})
	}
	b.WriteString(left)
}

// charts puts the output of write into columns of equal width, so that pairs stay together.
func charts(b *strings.Builder, write func()) {
	b.WriteString("<div class=\"charts\">\n")
	write()
	b.WriteString("</div>\n")
}

// cut keeps the first elements of a long list, and returns a note about it.
func cut[T any](of *[]T) string {
	n := len(*of)
	if n <= maxCharted {
		return ""
	}
	*of = (*of)[:maxCharted]
	return fmt.Sprintf("<p>The first %d of %d are drawn.</p>\n", maxCharted, n)
}

func writeCalibration(b *strings.Builder, e *EvaluationCalibration) {
	if e.classes == 0 {
		return
	}
	classes := each(e.classes, func(c int) int { return c })
	left := cut(&classes)
	reliability := chart{title: "Reliability", x: "mean predicted probability", y: "fraction of positives",
		note: "dashed: what is predicted with 70 % happens 70 % of the time", diagonal: true}
	for _, c := range classes {
		d := e.ReliabilityDiagram(c)
		reliability.lines = append(reliability.lines,
			line{fmt.Sprintf("class %d", c), d.MeanPredicted, d.FractionPositives, true})
	}
	charts(b, func() { reliability.write(b) })
	charts(b, func() {
		const residual, probability = "how far predictions are from labels: 0 is right, 1 is wrong and certain",
			"how sure predictions are: near 0 or 1 is certain"
		writeHistogram(b, e.ResidualPlotAllClasses(), "|label − prediction|", residual)
		writeHistogram(b, e.ProbabilityHistogramAllClasses(), "predicted probability", probability)
		for _, c := range classes {
			writeHistogram(b, e.ResidualPlot(c), "|label − prediction|", "of the class's output, for its examples")
			writeHistogram(b, e.ProbabilityHistogram(c), "predicted probability", "the nearer to 1 the better")
		}
	})
	b.WriteString(left)
}
