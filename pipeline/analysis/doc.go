// Package analysis analyses the columns of a table and proposes a pipeline for them.
//
// [Analyze] and [CheckQuality] are DataVec's AnalyzeLocal.analyze and analyzeQuality: statistics, histograms and
// quantiles of columns whose types are known, and how many values fit their column. They write and read DataVec's JSON.
//
// [Infer] finds out the types of columns, also from text: numbers, dates, categories, free text, identifiers, gaps.
// From its [Table], [Propose] makes a pipeline of DataVec's steps, with a reason for each column.
//
// All of them read the rows once, in bounded memory. A result depends only on the rows. A table may be analysed in
// partitions, which are merged in order, with the same result to the bit. Sums are exact. Values are counted exactly up
// to a limit of distinct ones; above it, they are estimated by sketches, which do not depend on the order.
package analysis
