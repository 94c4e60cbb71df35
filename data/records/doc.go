// Package records reads tables and sequences as DataVec's record readers do, and makes minibatches of them as
// Deeplearning4j's iterators over record readers do. A reader is a [source.Rows].
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
// CSV is RFC 4180 in all of them, with a delimiter and a quote that are used.
package records
