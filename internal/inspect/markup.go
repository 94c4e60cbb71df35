package inspect

import (
	_ "embed"
	"fmt"
	"html"
	"strings"
)

//go:embed page/page.css
var style string

// The page is written without html/template: with that package the linker keeps all methods of all types, a seventh of
// the program.
const (
	pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>%[1]s</title>
<style>
%[2]s</style>
</head>
<body>
<h1>%[1]s</h1>
<p>%[3]s</p>
`
	tableHead = `<h2>Proposal</h2>
<div class="wide" tabindex="0" role="region" aria-label="Proposal">
<table>
<thead><tr><th scope="col">column</th><th scope="col" class="optional">type</th><th scope="col" class="optional">gaps</th><th scope="col">what becomes of it</th></tr></thead>
<tbody>
`
	tableRow = `<tr><th scope="row"><a href="#%s">%s</a></th><td class="optional">%s</td><td class="number optional">%s %%</td><td><span class="%[5]s">%[5]s</span> %[6]s</td></tr>
`
	cardHead = `<section id="%[1]s" aria-labelledby="%[1]sname">
<div class="head"><h3 id="%[1]sname">%[2]s</h3><span class="kind">%[3]s</span></div>
<p class="reason"><span class="%[4]s">%[4]s</span> %[5]s</p>
`
	shareItem = `<li><span>%s</span><span>%s</span><span class="track"><i style="width: %s%%"></i></span></li>
`
	pipelineText = `<details>
<summary>The pipeline, in the form of DataVec</summary>
<pre tabindex="0">%s</pre>
</details>
`
)

// markup is a page that is being written.
type markup struct{ strings.Builder }

// add adds markup with texts, which are escaped.
func (m *markup) add(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(text)
	}
	fmt.Fprintf(m, format, escaped...)
}

// markup returns the page.
func (p *pageData) markup() string {
	m := &markup{}
	fmt.Fprintf(m, pageHead, html.EscapeString(p.Title), style, html.EscapeString(p.Summary))
	p.notices(m)
	if len(p.Classes) > 0 {
		m.add("<p>Classes: %s</p>\n", strings.Join(p.Classes, ", "))
	}
	for _, s := range p.Scale {
		m.add("<p>%[1]s is learnt as (%[1]s − %[2]s) / %[3]s; answers come back in its unit.</p>\n", s.Column, short(s.Mean),
			short(s.Deviation))
	}
	m.WriteString(tableHead)
	for i := range p.Columns {
		c := &p.Columns[i]
		m.add(tableRow, c.ID, c.Name, string(c.Kind), c.GapShare, c.Action, c.Reason)
	}
	m.WriteString("</tbody>\n</table>\n</div>\n<h2>Columns</h2>\n<div class=\"cards\">\n")
	for i := range p.Columns {
		p.Columns[i].card(m)
	}
	m.WriteString("</div>\n")
	if p.Pipeline != "" {
		m.add(pipelineText, p.Pipeline)
	}
	m.WriteString("</body>\n</html>\n")
	return m.String()
}

// notices adds what a person should know.
func (p *pageData) notices(m *markup) {
	if p.Problem == "" && len(p.Notices) == 0 {
		m.WriteString("<p class=\"faint\">There is nothing to notice.</p>\n")
		return
	}
	const item = "<li><b>%s</b> %s</li>\n"
	m.WriteString("<ul class=\"notices\" aria-label=\"Notices\">\n")
	if p.Problem != "" {
		m.add(item, "no pipeline", p.Problem)
	}
	for _, n := range p.Notices {
		m.add(item, string(n.Kind), n.String())
	}
	m.WriteString("</ul>\n")
}

// card adds the part of the page about the column.
func (c *pageColumn) card(m *markup) {
	m.add(cardHead, c.ID, c.Name, string(c.Kind), c.Action, c.Reason)
	if b := c.Bars; b != nil {
		m.add("<svg viewBox=\"0 0 300 90\" role=\"img\" aria-label=\"%s\">", b.Label)
		for _, r := range b.Bars {
			m.add("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"><title>%s</title></rect>", r.X, r.Y, r.Width, r.Height,
				r.Tip)
		}
		m.add("</svg>\n<div class=\"ends\"><span>%s</span><span>%s</span></div>\n", b.Low, b.High)
	}
	if len(c.Shares) > 0 {
		m.WriteString("<ul class=\"shares\">\n")
		for _, s := range c.Shares {
			m.add(shareItem, s.Text, s.Count, s.Width)
		}
		m.WriteString("</ul>\n")
	}
	if c.More > 0 {
		m.add("<p class=\"faint\">and %s more</p>\n", fmt.Sprint(c.More))
	}
	m.WriteString("<dl>\n")
	for _, f := range c.Facts {
		m.add("<dt>%s</dt><dd>%s</dd>\n", f.Name, f.Value)
	}
	m.WriteString("</dl>\n</section>\n")
}
