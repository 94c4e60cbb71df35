package connect

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// Relation is a table that a server can compute: a plan, which costs nothing until it is executed. Relations never
// change. They may be used in several sessions, except those of Session.Upload and Session.Checkpoint.
type Relation struct {
	r   *protocol.Relation
	err error
}

// relation numbers the plan: servers keep their analysis of numbered plans.
func relation(kind *protocol.Relation, errs ...error) Relation {
	id := rand.Int64()
	kind.Common = &protocol.RelationCommon{PlanId: &id}
	for _, err := range errs {
		if err != nil {
			return Relation{kind, err}
		}
	}
	return Relation{r: kind}
}

// Quote makes a name usable in SQL and in Col, with any characters.
func Quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// SQL is a query over tables and views. It has no arguments: Spark 4.1 leaves it to the parser to bind them, and those
// of extensions, such as Delta's, do not. To use other relations, name them by Session.CreateView. (Spark 4 can send
// them along with the query, but drops their persisted partitions when it has analysed the query.)
func SQL(query string) Relation {
	return relation(&protocol.Relation{RelType: &protocol.Relation_Sql{Sql: &protocol.SQL{Query: query}}})
}

// Table is a table or view of the server's catalogue. Quote name parts that have other characters than letters.
func Table(name string) Relation {
	t := &protocol.Read_NamedTable{UnparsedIdentifier: name}
	return relation(&protocol.Relation{RelType: &protocol.Relation_Read{
		Read: &protocol.Read{ReadType: &protocol.Read_NamedTable_{NamedTable: t}}}})
}

// Files reads files on storage of the server, in one of its formats: parquet, binaryFile, text, …
func Files(format string, options map[string]string, paths ...string) Relation {
	d := &protocol.Read_DataSource{Format: &format, Options: options, Paths: paths}
	return relation(&protocol.Relation{RelType: &protocol.Relation_Read{
		Read: &protocol.Read{ReadType: &protocol.Read_DataSource_{DataSource: d}}}})
}

// Local is rows of this program. Every plan that uses them contains them: use Session.Upload for more than a few.
func Local(b *arrow.Batch) Relation {
	return relation(&protocol.Relation{RelType: &protocol.Relation_LocalRelation{
		LocalRelation: &protocol.LocalRelation{Data: arrow.Write(b)}}})
}

// Range has one column, id, with from, from+step, … below to, in the given partitions.
func Range(from, to, step int64, partitions int) Relation {
	n := int32(partitions)
	return relation(&protocol.Relation{RelType: &protocol.Relation_Range{
		Range: &protocol.Range{Start: &from, End: to, Step: step, NumPartitions: &n}}})
}

// As names the relation, so that columns can refer to it.
func (r Relation) As(name string) Relation {
	return relation(&protocol.Relation{RelType: &protocol.Relation_SubqueryAlias{
		SubqueryAlias: &protocol.SubqueryAlias{Input: r.r, Alias: name}}}, r.err)
}

// Select returns the relation with these columns.
func (r Relation) Select(columns ...Expr) Relation {
	list, err := exprs(columns)
	return relation(&protocol.Relation{RelType: &protocol.Relation_Project{
		Project: &protocol.Project{Input: r.r, Expressions: list}}}, r.err, err)
}

// WithColumn returns the relation with one more column, or with the column of that name replaced.
func (r Relation) WithColumn(name string, e Expr) Relation {
	alias := &protocol.Expression_Alias{Expr: e.e, Name: []string{name}}
	return relation(&protocol.Relation{RelType: &protocol.Relation_WithColumns{
		WithColumns: &protocol.WithColumns{Input: r.r, Aliases: []*protocol.Expression_Alias{alias}}}}, r.err, e.err)
}

// Where returns the rows for which the condition holds.
func (r Relation) Where(condition Expr) Relation {
	return relation(&protocol.Relation{RelType: &protocol.Relation_Filter{
		Filter: &protocol.Filter{Input: r.r, Condition: condition.e}}}, r.err, condition.err)
}

// Limit returns the first n rows.
func (r Relation) Limit(n int) Relation {
	return relation(&protocol.Relation{RelType: &protocol.Relation_Limit{
		Limit: &protocol.Limit{Input: r.r, Limit: int32(n)}}}, r.err)
}

// Sort sorts all rows by these columns, ascending.
func (r Relation) Sort(by ...Expr) Relation {
	list, err := exprs(by)
	orders := make([]*protocol.Expression_SortOrder, len(list))
	for i, e := range list {
		orders[i] = &protocol.Expression_SortOrder{Child: e,
			Direction:    protocol.Expression_SortOrder_SORT_DIRECTION_ASCENDING,
			NullOrdering: protocol.Expression_SortOrder_SORT_NULLS_FIRST}
	}
	global := true
	return relation(&protocol.Relation{RelType: &protocol.Relation_Sort{
		Sort: &protocol.Sort{Input: r.r, Order: orders, IsGlobal: &global}}}, r.err, err)
}

// Expr is an expression over the columns of a relation.
type Expr struct {
	e   *protocol.Expression
	err error
}

// Col is a column by its name. Quote names that have other characters than letters.
func Col(name string) Expr {
	return Expr{e: &protocol.Expression{ExprType: &protocol.Expression_UnresolvedAttribute_{
		UnresolvedAttribute: &protocol.Expression_UnresolvedAttribute{UnparsedIdentifier: name}}}}
}

// Lit is a value: nil, a boolean, an int, int32, int64, float32, float64, string, []byte, or a slice of int64,
// float32, float64 or string.
func Lit(value any) Expr {
	l, err := literal(value)
	return Expr{&protocol.Expression{ExprType: &protocol.Expression_Literal_{Literal: l}}, err}
}

// Text is an expression in SQL.
func Text(sql string) Expr {
	return Expr{e: &protocol.Expression{ExprType: &protocol.Expression_ExpressionString_{
		ExpressionString: &protocol.Expression_ExpressionString{Expression: sql}}}}
}

// Func calls one of Spark's functions.
func Func(name string, args ...Expr) Expr {
	list, err := exprs(args)
	return Expr{&protocol.Expression{ExprType: &protocol.Expression_UnresolvedFunction_{
		UnresolvedFunction: &protocol.Expression_UnresolvedFunction{FunctionName: name, Arguments: list}}}, err}
}

// As names the column that the expression makes.
func (e Expr) As(name string) Expr {
	return Expr{&protocol.Expression{ExprType: &protocol.Expression_Alias_{
		Alias: &protocol.Expression_Alias{Expr: e.e, Name: []string{name}}}}, e.err}
}

// Cast converts the expression's value to another SQL type, such as "double".
func (e Expr) Cast(to string) Expr {
	return Expr{&protocol.Expression{ExprType: &protocol.Expression_Cast_{Cast: &protocol.Expression_Cast{
		Expr: e.e, CastToType: &protocol.Expression_Cast_TypeStr{TypeStr: to}}}}, e.err}
}

// CastLegacy is Cast by Spark's rules from before ANSI mode, which allow more: int to "binary" gives the four bytes,
// the highest first. Spark 3.5 follows the session's mode here.
func (e Expr) CastLegacy(to string) Expr {
	return Expr{&protocol.Expression{ExprType: &protocol.Expression_Cast_{Cast: &protocol.Expression_Cast{
		Expr: e.e, CastToType: &protocol.Expression_Cast_TypeStr{TypeStr: to},
		EvalMode: protocol.Expression_Cast_EVAL_MODE_LEGACY}}}, e.err}
}

func exprs(list []Expr) ([]*protocol.Expression, error) {
	out := make([]*protocol.Expression, len(list))
	for i, e := range list {
		if e.err != nil {
			return nil, fmt.Errorf("expression %d: %w", i, e.err)
		}
		out[i] = e.e
	}
	return out, nil
}
