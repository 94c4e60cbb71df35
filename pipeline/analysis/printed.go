package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dl4go/dl4go/dl4j"
)

// The printed forms, in DataVec's format.

// printedTable returns a line for each column, with its number, name and type and two more texts.
func printedTable(heads [2]string, columns []line) string {
	longest := 0
	for _, c := range columns {
		longest = max(longest, utf8.RuneCountInString(c.name))
	}
	var b strings.Builder
	put := func(index, name, kind, third, fourth string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-6s%-*s%-15s%s%s", index, longest+8, name, kind, third, fourth), " "))
		b.WriteByte('\n')
	}
	put("idx", "name", "type", heads[0], heads[1])
	for i, c := range columns {
		put(fmt.Sprint(i), `"`+c.name+`"`, c.kind, c.third, c.fourth)
	}
	return b.String()
}

type line struct{ name, kind, third, fourth string }

// String returns DataVec's printed form: a line for each column.
func (a *DataAnalysis) String() string {
	var lines []line
	for i, c := range a.Columns {
		column := a.Schema.Columns[i]
		lines = append(lines, line{column.Title(), string(column.Type()), c.String(), ""})
	}
	return printedTable([2]string{"analysis", ""}, lines)
}

// number formats a double like Java.
func number(x float64) string { return dl4j.FormatDouble(x) }

// printedQuantiles are the quantiles that are printed.
var printedQuantiles = []float64{0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999}

func (s *NumberStatistics) printed(class, low, high, more string) string {
	text := fmt.Sprintf("%s(min=%s,max=%s,mean=%s,sampleStDev=%s,sampleVariance=%s,countZero=%d,countNegative=%d,"+
		"countPositive=%d,countMinValue=%d,countMaxValue=%d,count=%d", class, low, high, number(s.Mean),
		number(s.SampleStdev),
		number(s.SampleVariance), s.CountZero, s.CountNegative, s.CountPositive, s.CountMinValue, s.CountMaxValue,
		s.CountTotal)
	text += more
	if s.CountInfinite > 0 {
		text += fmt.Sprintf(",countInfinite=%d", s.CountInfinite)
	}
	if s.CountMissing > 0 {
		text += fmt.Sprintf(",countMissing=%d", s.CountMissing)
	}
	if s.Digest == nil {
		return text + ")"
	}
	var quantiles []string
	for _, q := range printedQuantiles {
		quantiles = append(quantiles, number(q)+" -> "+number(s.Digest.Quantile(q)))
	}
	return text + ", quantiles=[" + strings.Join(quantiles, ",") + "])"
}

func (a *IntegerAnalysis) String() string {
	return a.printed("IntegerAnalysis", fmt.Sprint(a.Min), fmt.Sprint(a.Max), "")
}

func (a *LongAnalysis) String() string {
	return a.printed("LongAnalysis", fmt.Sprint(a.Min), fmt.Sprint(a.Max), "")
}

func (a *DoubleAnalysis) String() string {
	more := ""
	if a.CountNaN > 0 {
		more = fmt.Sprintf(",countNaN=%d", a.CountNaN)
	}
	return a.printed("DoubleAnalysis", number(a.Min), number(a.Max), more)
}

func (a *TimeAnalysis) String() string {
	instant := func(ms int64) string {
		return fmt.Sprintf("%d (%s)", ms, time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000 -07:00"))
	}
	return a.printed("TimeAnalysis", instant(a.Min), instant(a.Max), "")
}

func (a *StringAnalysis) String() string {
	return fmt.Sprintf("StringAnalysis(minLen=%d,maxLen=%d,meanLen=%s,sampleStDevLen=%s,sampleVarianceLen=%s,count=%d)",
		a.MinLength, a.MaxLength, number(a.MeanLength), number(a.SampleStdevLength), number(a.SampleVarianceLength),
		a.CountTotal)
}

func (a *CategoricalAnalysis) String() string {
	var counts []Category
	for name, n := range a.Counts.All() {
		counts = append(counts, Category{name, n})
	}
	slices.SortStableFunc(counts, func(a, b Category) int { return cmp.Compare(b.Count, a.Count) })
	var parts []string
	for _, c := range counts {
		parts = append(parts, fmt.Sprintf("%s=%d", c.Text, c.Count))
	}
	return "CategoricalAnalysis(CategoryCounts={" + strings.Join(parts, ", ") + "})"
}

func (a *ArrayAnalysis) String() string {
	var ranks []string
	for rank, n := range a.CountsByRank.All() {
		ranks = append(ranks, fmt.Sprintf("%s=%d", rank, n))
	}
	return fmt.Sprintf("NDArrayAnalysis(countTotal=%d,countNull=%d,minLength=%d,maxLength=%d,totalValuesAllNDArrays=%d,"+
		"minValue=%s,maxValue=%s,countsByNDArrayRank={%s})", a.CountTotal, a.CountNull, a.MinLength, a.MaxLength,
		a.TotalValues,
		number(a.MinValue), number(a.MaxValue), strings.Join(ranks, ", "))
}

func (a *BytesAnalysis) String() string { return "BytesAnalysis()" }
