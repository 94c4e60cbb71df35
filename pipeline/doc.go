// Package pipeline turns raw columns into other columns: text and dates into numbers, categories into one-hot columns,
// rows into sequences. A [Pipeline] consists of the input columns, a [Schema], and a list of steps. It is read from
// and written as DataVec's JSON (org.datavec.api.transform.TransformProcess), so that Deeplearning4j's users keep
// their files.
//
// A pipeline is plain data. [Pipeline.Bind] checks it and returns a [Plan], which runs rows or sequences through the
// steps, one by one if the steps allow it.
package pipeline
