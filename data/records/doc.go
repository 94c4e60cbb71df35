// Package records has DataVec's record readers, and Deeplearning4j's iterators that make minibatches of their records.
// A reader is a [source.Rows]: it returns rows or sequences of rows. Use it once, close it, and open another one for
// another pass.
//
//	| DataVec                              | here               |
//	|--------------------------------------|--------------------|
//	| CSVRecordReader                      | [CSV]              |
//	| CSVRegexRecordReader                 | [CSV] and [Groups] |
//	| CSVSequenceRecordReader              | [CSVSequences]     |
//	| CSVNLinesSequenceRecordReader        | [CSVLines]         |
//	| CSVLineSequenceRecordReader          | [CSVSteps]         |
//	| CSVMultiSequenceRecordReader         | [CSVSeries]        |
//	| CSVVariableSlidingWindowRecordReader | [CSVWindows]       |
//	| LineRecordReader                     | [Lines]            |
//	| RegexLineRecordReader                | [RegexLines]       |
//	| RegexSequenceRecordReader            | [RegexSequences]   |
//	| SVMLightRecordReader                 | [SVMLight]         |
//	| JacksonLineRecordReader              | [JSONLines]        |
//	| JacksonLineSequenceRecordReader      | [JSONSequences]    |
//	| TransformProcessRecordReader         | [Transformed]      |
//	| CollectionRecordReader               | [Collection]       |
//	| ComposableRecordReader               | [Composed]         |
//	| ConcatenatingRecordReader            | [Concatenated]     |
//	| RecordReaderDataSetIterator          | [DataSets]         |
//	| SequenceRecordReaderDataSetIterator  | [SequenceDataSets] |
//	| RecordReaderMultiDataSetIterator     | [MultiDataSets]    |
//
// CSV files follow RFC 4180, with the delimiter and the quote of [CSVOptions]. docs/dl4j/differences.md says where
// DataVec reads them otherwise.
package records
