package lint

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// dl4jMethods are the pages of docs/dl4j that list the methods of classes: under one heading, or anywhere if heading
// is empty.
var dl4jMethods = []struct {
	page, heading string
	classes       []string
}{
	{"networks.md", "", []string{"MultiLayerNetwork", "ComputationGraph"}},
	{"spark.md", "SparkDl4jMultiLayer", []string{"SparkDl4jMultiLayer", "SparkListenable"}},
	{"spark.md", "SparkComputationGraph", []string{"SparkComputationGraph"}},
	{"early-stopping.md", "", []string{"SparkEarlyStoppingTrainer", "SparkEarlyStoppingGraphTrainer",
		"SparkDataSetLossCalculator", "SparkLossCalculatorComputationGraph"}},
	{"statistics.md", "", []string{"SparkTrainingStats", "CommonSparkTrainingStats",
		"ParameterAveragingTrainingMasterStats", "ParameterAveragingTrainingWorkerStats"}},
	{"averaging.md", "", []string{"ParameterAveragingTrainingMaster", "ParameterAveragingTrainingMaster$Builder"}},
	{"sharing.md", "", []string{"SharedTrainingMaster", "SharedTrainingMaster$Builder"}},
	{"sharing.md", "VoidConfiguration", []string{"VoidConfiguration", "VoidConfiguration$VoidConfigurationBuilder"}},
}

// dl4jScopes are the packages and types that a page omits before their members.
var dl4jScopes = map[string][]string{
	"networks.md":       {"nn", "nn.MultiLayer", "nn.Graph"},
	"spark.md":          {"distributed", "distributed.Network", "distributed.Options", "distributed.Data"},
	"early-stopping.md": {"earlystopping", "earlystopping.Config", "earlystopping.Result", "earlystopping.Loss"},
	"statistics.md":     {"stats", "paramavg", "paramavg.Options"},
	"averaging.md":      {"paramavg", "paramavg.Config", "paramavg.TrainingMaster"},
	"sharing.md":        {"sharing", "sharing.Config", "sharing.TrainingMaster", "sharing.VoidConfiguration"},
	"datavec.md":        {"pipeline"},
	"library.md":        {"dl4go", "dl4go.Model"},
	"classes.md":        nil,
	"files.md":          nil,
}

// dl4jRow is a row of a table of docs/dl4j.
type dl4jRow struct {
	page, heading string
	theirs        string   // the first cell: Deeplearning4j's names
	ours          []string // the other cells
}

// dl4jRows reads the rows of all tables in docs/dl4j.
func dl4jRows(t *testing.T) (rows []dl4jRow) {
	t.Helper()
	pages, err := filepath.Glob("../../docs/dl4j/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		rows = append(rows, rowsOf(t, page)...)
	}
	return rows
}

// rowsOf reads the rows of all tables of a page.
func rowsOf(t *testing.T, page string) (rows []dl4jRow) {
	t.Helper()
	heading := ""
	for line := range strings.Lines(read(t, page)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			heading = title
		}
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "/"), "|")
		if len(cells) < 4 || strings.Contains(line, "| --- |") {
			continue
		}
		rows = append(rows, dl4jRow{filepath.Base(page), heading, cells[1], cells[2 : len(cells)-1]})
	}
	return rows
}

// names returns the Go identifiers in a row, and those of them that don't exist.
func (r dl4jRow) names(all tree) (names, missing []string) {
	for _, cell := range r.ours {
		scope := dl4jScopes[r.page]
		for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(cell, -1) {
			m := goName.FindStringSubmatch(strings.Trim(code, "`"))
			if m == nil || !all.exported(m[1]) || regexp.MustCompile(`\b`+regexp.QuoteMeta(m[1])+`\b`).MatchString(r.theirs) &&
				!all.has(m[1], scope) {
				continue // a flag, a file, a member of the JSON, or Deeplearning4j's own name
			}
			if !all.has(m[1], scope) {
				missing = append(missing, m[1])
				continue
			}
			names = append(names, m[1])
			if pkg, rest, ok := strings.Cut(m[1], "."); ok && all[pkg] { // later names in the cell may omit it
				scope = append([]string{pkg}, scope...)
				if of, _, ok := strings.Cut(rest, "."); ok {
					scope = append([]string{pkg + "." + of}, scope...)
				}
			}
		}
	}
	return names, missing
}

// none reports whether a row says that there is no counterpart.
func (r dl4jRow) none() bool {
	for _, cell := range r.ours {
		if strings.HasPrefix(strings.TrimSpace(cell), "none") || strings.TrimSpace(cell) == "as above" {
			return true
		}
	}
	return false
}

// goName matches a name at the beginning of code, which calls, literals and type arguments may follow.
var goName = regexp.MustCompile(`^\*?([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:[({\[].*)?$`)

// TestDl4jNames: every Go identifier in the tables of docs/dl4j exists: packages' names, methods, fields.
func TestDl4jNames(t *testing.T) {
	all := declarations(t)
	count := 0
	for _, row := range dl4jRows(t) {
		if _, ok := dl4jScopes[row.page]; !ok {
			continue
		}
		names, missing := row.names(all)
		count += len(names)
		for _, name := range missing {
			t.Errorf("docs/dl4j/%s names %s, which does not exist, in the row of%s", row.page, name, row.theirs)
		}
	}
	if count < 400 {
		t.Errorf("only %d names were found", count)
	}
}

// TestLibraryNames: every Go identifier in the tables of docs/library.md exists, and each row about flags has one.
// TestFlagsInGo of cmd/dl4go checks the flags.
func TestLibraryNames(t *testing.T) {
	all, flags := declarations(t), 0
	for _, row := range rowsOf(t, "../../docs/library.md") {
		names, missing := row.names(all)
		for _, name := range missing {
			t.Errorf("docs/library.md names %s, which does not exist, in the row of%s", name, row.theirs)
		}
		if !strings.Contains(row.theirs, "`--") || strings.Contains(row.theirs, "settings of data") {
			continue
		}
		if flags++; len(names) == 0 {
			t.Errorf("docs/library.md has no Go identifier in the row of%s", row.theirs)
		}
	}
	if flags < 40 {
		t.Errorf("only %d rows are about flags", flags)
	}
}

// TestDl4jClasses: docs/dl4j/classes.md has a row for every class that a configuration of Deeplearning4j 1.0.0-M2.1
// can name. The class is in the first cell. The row names an existing identifier, or says that there is none.
func TestDl4jClasses(t *testing.T) {
	all, rows := declarations(t), dl4jRows(t)
	for class := range strings.Lines(read(t, "testdata/dl4j-classes.txt")) {
		name := strings.TrimSpace(class[strings.LastIndexByte(class, '.')+1:])
		if !answered(all, rows, func(r dl4jRow) bool { return r.page == "classes.md" }, name) {
			t.Errorf("docs/dl4j/classes.md has no row of %s with a Go identifier or a reason", strings.TrimSpace(class))
		}
	}
}

// TestDl4jMethods: docs/dl4j has every public method, builder's option and statistic of Deeplearning4j's classes for
// Spark (tools/dl4j/Methods.java lists them) and of its networks, in the first cell of a row of its class. The row
// names an existing identifier, or says that there is none. A getter or setter counts as present if its property is, a
// setter also if the getter is.
func TestDl4jMethods(t *testing.T) {
	all, rows, methods := declarations(t), dl4jRows(t), map[string][]string{}
	for _, list := range []string{"testdata/dl4j-methods.txt", "testdata/dl4j-networks.txt"} {
		for line := range strings.Lines(read(t, list)) {
			class, method, _ := strings.Cut(strings.TrimSpace(line), " ")
			methods[class] = append(methods[class], method)
		}
	}
	for _, of := range dl4jMethods {
		there := func(r dl4jRow) bool {
			return r.page == of.page && (of.heading == "" || r.heading == of.heading)
		}
		for _, class := range of.classes {
			if len(methods[class]) == 0 {
				t.Errorf("testdata has no methods of %s", class)
			}
			for _, method := range methods[class] {
				name, _, _ := strings.Cut(strings.TrimPrefix(method, "key "), "(")
				names := []string{name}
				if name == "new" {
					names = []string{regexp.MustCompile(`\w+$`).FindString(class)}
				} else if p := accessor.FindStringSubmatch(name); p != nil {
					names = append(names, p[1], strings.ToLower(p[1][:1])+p[1][1:], "(?:get|is|getIs)"+p[1])
				}
				if !answered(all, rows, there, names...) {
					t.Errorf("docs/dl4j/%s has no row of %s.%s with a Go identifier or a reason", of.page, class, method)
				}
			}
		}
	}
}

var accessor = regexp.MustCompile(`^(?:get|set|is|getIs|setIs)([A-Z]\w*)$`)

// answered reports whether some row has one of the names in its first cell, and an existing Go identifier or a reason.
func answered(all tree, rows []dl4jRow, there func(dl4jRow) bool, names ...string) bool {
	theirs := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	for _, row := range rows {
		if !there(row) || !theirs.MatchString(row.theirs) {
			continue
		}
		if found, _ := row.names(all); len(found) > 0 || row.none() {
			return true
		}
	}
	return false
}
