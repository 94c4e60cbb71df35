package eval

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// maxCharted bounds the classes whose charts a page has.
const maxCharted = 100

// WriteHTML writes a page with the charts and the reports of evaluations (Deeplearning4j: EvaluationTools.rocChartToHtml,
// exportRocChartsToHtmlFile and others): ROC and precision-recall curves, reliability diagrams, residuals and
// probabilities. The page needs no other file, no script and no network.
func WriteHTML(w io.Writer, title string, evals ...Evaluator) error {
	var b strings.Builder
	fmt.Fprintf(&b, page, html.EscapeString(title), html.EscapeString(title))
	for _, e := range evals {
		writeSection(&b, e)
	}
	b.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<title>%s</title>
<style>
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
h2 { margin: 1.6em 0 .4em; border-bottom: 1px solid #ccc }
pre { font: 13px/1.35 ui-monospace, monospace; background: #f6f6f6; padding: .8em; overflow-x: auto }
figure { display: inline-block; vertical-align: top; margin: .5em 1.5em 1em 0; max-width: 520px }
figcaption { font-weight: 600; margin-bottom: .2em }
svg { background: #fff; max-width: 100%%; height: auto }
svg text { font: 12px system-ui, sans-serif; fill: #444 }
.legend { font-size: 13px; columns: 2; margin: .2em 0; padding: 0; list-style: none }
.legend i { display: inline-block; width: 1em; height: .25em; margin-right: .5em; vertical-align: middle }
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
	case *EvaluationCalibration:
		writeCalibration(b, e)
	}
	fmt.Fprintf(b, "<pre>%s</pre>\n", html.EscapeString(strings.Trim(e.Stats(), "\n")))
}

func writeROCs(b *strings.Builder, labels []string, rocs []*ROC) {
	left := cut(&rocs)
	roc := chart{title: "ROC", x: "false positive rate", y: "true positive rate", diagonal: true}
	pr := chart{title: "Precision and recall", x: "recall", y: "precision"}
	for i, r := range rocs {
		if r.examples == 0 {
			continue
		}
		name := ""
		if len(rocs) > 1 || len(labels) > 0 {
			name = outputName(labels, i) + ": "
		}
		c, p := r.RocCurve(), r.PrecisionRecallCurve()
		roc.lines = append(roc.lines, line{fmt.Sprintf("%sAUC %s", name, fixed(c.AUC(), 4)), c.FPR, c.TPR, false})
		pr.lines = append(pr.lines, line{fmt.Sprintf("%sAUCPR %s", name, fixed(p.AUCPR(), 4)), p.Recall, p.Precision, false})
	}
	if len(roc.lines) > 0 {
		roc.write(b)
		pr.write(b)
	}
	b.WriteString(left)
}

// cut leaves the first of many, and says so.
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
	reliability := chart{title: "Reliability", x: "mean predicted probability", y: "fraction of positives", diagonal: true}
	for _, c := range classes {
		d := e.ReliabilityDiagram(c)
		reliability.lines = append(reliability.lines, line{fmt.Sprintf("class %d", c), d.MeanPredicted, d.FractionPositives, true})
	}
	reliability.write(b)
	writeHistogram(b, e.ResidualPlotAllClasses(), "|label − prediction|")
	writeHistogram(b, e.ProbabilityHistogramAllClasses(), "predicted probability")
	for _, c := range classes {
		writeHistogram(b, e.ResidualPlot(c), "|label − prediction|")
		writeHistogram(b, e.ProbabilityHistogram(c), "predicted probability")
	}
	b.WriteString(left)
}
