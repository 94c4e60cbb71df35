package lint

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sections are the headings in docs/dl4j under which the methods of the classes are, and where what a table there names in
// Go is to be found: packages, and types whose fields and methods are named without them.
var sections = map[string]struct {
	classes, scope []string
}{
	"SparkDl4jMultiLayer":   {[]string{"SparkDl4jMultiLayer", "SparkListenable"}, []string{"distributed", "distributed.Network", "distributed.Options", "distributed.Data"}},
	"SparkComputationGraph": {[]string{"SparkComputationGraph"}, []string{"distributed", "distributed.Network", "distributed.Options", "distributed.Data"}},
	"Early stopping": {[]string{"SparkEarlyStoppingTrainer", "SparkEarlyStoppingGraphTrainer", "SparkDataSetLossCalculator",
		"SparkLossCalculatorComputationGraph"}, []string{"earlystopping", "earlystopping.Config", "earlystopping.Result", "earlystopping.Loss"}},
	"SparkTrainingStats": {[]string{"SparkTrainingStats", "CommonSparkTrainingStats", "ParameterAveragingTrainingMasterStats",
		"ParameterAveragingTrainingWorkerStats"}, []string{"stats", "paramavg", "paramavg.Options"}},
	"ParameterAveragingTrainingMaster": {[]string{"ParameterAveragingTrainingMaster", "ParameterAveragingTrainingMaster$Builder"},
		[]string{"paramavg", "paramavg.Config", "paramavg.TrainingMaster"}},
	"SharedTrainingMaster": {[]string{"SharedTrainingMaster", "SharedTrainingMaster$Builder"}, []string{"sharing", "sharing.Config", "sharing.TrainingMaster"}},
	"VoidConfiguration":    {[]string{"VoidConfiguration", "VoidConfiguration$VoidConfigurationBuilder"}, []string{"sharing", "sharing.VoidConfiguration"}},
}

// TestDl4jMethods: docs/dl4j has every public method, builder's option and statistic of Deeplearning4j's classes for Spark
// (tools/dl4j/Methods.java lists them) in the section of its class. A getter or setter is there where its property is, a
// setter where the getter is.
func TestDl4jMethods(t *testing.T) {
	methods := map[string][]string{}
	for line := range strings.Lines(read(t, "testdata/dl4j-methods.txt")) {
		class, method, _ := strings.Cut(strings.TrimSpace(line), " ")
		methods[class] = append(methods[class], method)
	}
	for heading, s := range sections {
		text := section(t, heading)
		for _, class := range s.classes {
			if len(methods[class]) == 0 {
				t.Errorf("testdata/dl4j-methods.txt has no methods of %s", class)
			}
			for _, method := range methods[class] {
				name, _, _ := strings.Cut(strings.TrimPrefix(method, "key "), "(")
				names := []string{name}
				if name == "new" {
					names = []string{regexp.MustCompile(`\w+$`).FindString(class)}
				} else if p := accessor.FindStringSubmatch(name); p != nil {
					names = append(names, p[1], strings.ToLower(p[1][:1])+p[1][1:], "(?:get|is|getIs)"+p[1])
				}
				if !regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`).MatchString(text) {
					t.Errorf("docs/dl4j's section %s has nothing about %s.%s", heading, class, method)
				}
			}
		}
	}
}

var accessor = regexp.MustCompile(`^(?:get|set|is|getIs|setIs)([A-Z]\w*)$`)

// section returns the text below a heading of docs/dl4j.
func section(t *testing.T, heading string) string {
	t.Helper()
	doc := dl4jPages(t)
	m := regexp.MustCompile(`(?m)^#+ ` + heading + `$`).FindStringIndex(doc)
	if m == nil {
		t.Fatalf("docs/dl4j has no section %s", heading)
	}
	text, _, _ := strings.Cut(doc[m[1]:], "\n#")
	return text
}

// dl4jPages returns all pages of docs/dl4j, one after the other.
func dl4jPages(t *testing.T) string {
	t.Helper()
	pages, err := filepath.Glob("../../docs/dl4j/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, page := range pages {
		all.WriteString(read(t, page) + "\n")
	}
	return all.String()
}

// TestDl4jNames: what the tables of these sections name in Go is there: packages' names, methods, fields.
func TestDl4jNames(t *testing.T) {
	tree := declarations(t)
	count := 0
	for heading, s := range sections {
		for line := range strings.Lines(section(t, heading)) {
			cells := strings.Split(strings.TrimSpace(line), "|")
			if len(cells) < 4 || strings.Contains(line, "| --- |") {
				continue
			}
			for _, cell := range cells[2:] {
				for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(cell, -1) {
					m := goName.FindStringSubmatch(strings.Trim(code, "`"))
					if m == nil || !tree.exported(m[1]) || strings.Contains(cells[1], m[1]) {
						continue // a flag, a file, a member of the JSON, or Deeplearning4j's own name
					}
					count++
					if !tree.has(m[1], s.scope) {
						t.Errorf("docs/dl4j's section %s names %s, which there is not: %s", heading, code, strings.TrimSpace(line))
					}
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d names were found", count)
	}
}

// goName is a name, at the beginning of code, of which calls, literals and type arguments may follow.
var goName = regexp.MustCompile(`^\*?([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:[({\[].*)?$`)
