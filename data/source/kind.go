package source

import (
	"context"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/registry"
)

// Kind is a kind of data, such as csv. [Register] makes it known under the word before the colon of a [Name]. With
// these three methods, every command reads data of the kind, and every engine trains on it: the driver reads it and
// sends rows to the workers. A Kind is safe for concurrent use. It may implement more interfaces:
//
//   - [Streamer] reads data once, example by example. The commands evaluate, predict and score then need no memory for
//     all of it, and take standard input.
//   - [Tabular] has raw columns, from which a pipeline makes the examples. [RawFiles] lets workers read the raw rows of
//     its files.
//   - [FileReader] lets the workers of a cluster read the examples of files. It may also be a [FolderReader], for files
//     in subdirectories; a [ListReader], for files that a list names; a [NamedReader], for files that name their
//     columns; [TableFiles], for files of one table; an [UnlikeReader], for files with examples of different shapes; or
//     a [SavedReader], for saved DataSets.
//   - [PartReader] reads only parts of its files.
//   - [Halver] has one part for training and one for testing.
//   - distributed.EngineKind is for data that only an engine can open, such as a query.
type Kind interface {
	// About says how data of the kind is named.
	About() About
	// Check finds mistakes in the place and in the values of settings, without opening anything. It returns a SpecError
	// or a SettingError, or a MismatchError if settings contradict the purpose of the data. Settings that About does
	// not list are refused before Check is called.
	Check(n Name, o Options) error
	// Open opens data. It is called after Check. The context also governs later reads of the source's files.
	Open(ctx context.Context, n Name, o Options) (Source, error)
}

// About describes a kind of data, for messages and help texts.
type About struct {
	// Form is the form of a name, with placeholders in capitals: "csv:FILE?label=COLUMN".
	Form string
	// Text describes the kind in a few words: "a table".
	Text string
	// More is the explanation in the long help; it may be empty.
	More string
	// Settings are the keys after the question mark, and the flags of the commands.
	Settings []Setting
	// Verbatim means that a question mark is part of the place. Settings are then given by flags only.
	Verbatim bool
	// Endings are the endings of file names that suggest this kind, such as ".csv".
	Endings []string
	// Directories means that the place may be a directory.
	Directories bool
}

// Setting is a setting of a kind of data.
type Setting struct {
	Name string // the key: "label"
	// Flag is the name of the command line's flag; if it is empty, the flag is called Name. Kinds share flags: settings
	// with the same meaning have one flag.
	Flag string
	// Value is the placeholder of the value in help texts: "COLUMN".
	Value string
	// Text describes the setting in a few words: "the label column".
	Text string
	// Default describes the default, if it is not obvious: "the last column". It may be empty.
	Default string
	// Offer lists values that a shell completes.
	Offer []string
	// List means that the value may be several values, separated by commas (see Values).
	List bool
	// Switch means that the value is true or false, and true if only the flag's name is given.
	Switch bool
	// Rare shows the flag in the long help only.
	Rare bool
	// Raw means that the setting is about reading raw rows (see [Tabular]), not about the use of their columns.
	Raw bool
}

// FlagName returns the name of the setting's flag.
func (s Setting) FlagName() string {
	if s.Flag != "" {
		return s.Flag
	}
	return s.Name
}

// Setting returns the setting with this name, or false if there is none.
func (a About) Setting(name string) (Setting, bool) {
	for _, s := range a.Settings {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// Options describe the use of the data.
type Options struct {
	// As holds the names of columns and classes that a model knows. Data is read by these names, and refused with a
	// MismatchError if its names don't fit. Data without names is read by position, except for CSV files without a
	// header if the model's columns have names. If As is nil, everything is read by position.
	As *data.Schema
	// Unlabelled means that labels are not wanted. A kind may leave them out, and must ignore mistakes in them.
	Unlabelled bool
	// Preparation, unless nil, makes the examples from raw columns with a pipeline. The kind must be [Tabular] then.
	Preparation *Preparation `json:",omitempty"`
	// Noted, unless nil, reports whether the notes count unknown values of the raw row with this index.
	Noted func(row int) bool `json:"-"`
	// TextGaps, unless nil, makes texts among numbers count as gaps.
	TextGaps *TextGaps `json:",omitempty"`
	// Table, unless nil, is the table of the file that [FileReader.ReadFile] reads: see [TableFiles].
	Table *TableLook `json:",omitempty"`
	// Listed, unless nil, is the entry of a list for the file that [FileReader.ReadFile] reads.
	Listed *Listed `json:"-"`
	// Room, unless nil, makes OpenName return single examples as [Stored] if they can be read one after the other.
	Room *Room `json:"-"`
}

// Absent returns the label columns if labels are not wanted. The pipeline sees other values in their place.
func (o Options) Absent() []string {
	if !o.Unlabelled || o.Preparation == nil {
		return nil
	}
	return o.Preparation.Labels
}

// Streamer is a Kind whose data can be read once, example by example.
type Streamer interface {
	Kind
	// Stream opens data. Its place may be "-", standard input, if StandardInput says so. The examples are the same as
	// Open's. As later lines are unknown, the settings must say everything that a single line does not. The context
	// governs the reads, too, until Close.
	Stream(ctx context.Context, n Name, o Options) (Examples, error)
	// Streams reports whether Stream returns the same examples as Open, for any data with this name.
	Streams(n Name, o Options) bool
}

// FileReader is a Kind whose files workers can read independently.
type FileReader interface {
	Kind
	// ByWorkers reports whether the workers of a cluster read the data instead of the driver. For that, the place must
	// be a file or a directory on storage that they see, and the settings must say everything that a single file does
	// not, except for [TableFiles].
	ByWorkers(n Name) bool
	// ReadFile calls each with the examples of a file, minibatch by minibatch; each owns these. Labels are coded by the
	// schema of o. Errors name the file and the place in it.
	ReadFile(n Name, o Options, path string, content Content, each func(*data.MultiDataSet) error) error
}

// Content is a file that a kind reads, in memory or opened.
type Content interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	Size() int64
}

// PartReader is a Kind that reads only parts of its files. Workers open such files instead of loading them.
type PartReader interface{ ReadsParts() }

// ReadsParts reports whether the kind of the name is a [PartReader].
func ReadsParts(n Name) bool {
	k, _ := KindOf(n.Kind)
	_, parts := k.(PartReader)
	return parts
}

// NamedReader is a FileReader whose files name their columns.
type NamedReader interface {
	// FileInfo describes the examples of a file, with the names of columns.
	FileInfo(n Name, o Options, path string, content Content) (Info, error)
}

// UnlikeReader is a FileReader whose files may have examples of different shapes, such as pictures.
type UnlikeReader interface {
	// Unlike returns advice for messages: which setting brings the examples to one shape.
	Unlike() string
}

// FolderReader is a FileReader that also reads files in subdirectories.
type FolderReader interface {
	FileReader
	// Among selects files below the place, and completes the options from the paths: the classes, if these are the
	// names of directories.
	Among(n Name, o Options, paths []string) (taken []string, _ Options, err error)
	// Class returns the class of a selected file that has a single example.
	Class(path string) string
}

// ListReader is a FolderReader whose place may be a list: a file that names the others.
type ListReader interface {
	FolderReader
	// IsList reports whether the place is a list.
	IsList(n Name) bool
	// ReadList reads a list. It completes the options with the classes.
	ReadList(n Name, o Options, list Content) (files []Listed, _ Options, err error)
}

// Listed is a file that a list names: see [ListReader].
type Listed struct {
	Path  string `json:"-"`
	Key   string // identifies the file in messages and predictions
	Class int    // the number of its class; 0 if there are no labels
}

// SavedReader marks a FileReader of Deeplearning4j's saved DataSets. Training that exports its data (Approach Export)
// uses such files as they are. The files of a cluster may have the format in which it keeps an export.
type SavedReader interface {
	FileReader
	SavedDataSets()
}

// Halver is a Kind with one part for training and one for testing.
type Halver interface {
	Kind
	// Halves returns the names of both parts. ok is false if n names only a part that is not divided.
	Halves(n Name) (train, test Name, ok bool)
}

var kinds = registry.New[Kind]("kind of data")

// Register makes a kind of data known under a name in lower case, the word before the colon. Call it from init. It
// panics if the name is taken.
func Register(name string, k Kind) { kinds.Add(name, k) }

// Kinds returns the names of the registered kinds of data, in alphabetical order.
func Kinds() []string { return kinds.Names() }

// KindOf returns the kind with a name.
func KindOf(name string) (Kind, bool) { return kinds.Get(name) }
