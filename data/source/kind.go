package source

import (
	"bytes"
	"context"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/registry"
)

// Kind is a kind of data: csv, say. [Register] makes it known under the word before the colon of a [Name]. With these
// three methods, data of the kind is read in every command and trained on by every engine: the driver reads it and
// sends rows to the workers. A Kind may have more:
//
//   - [Streamer] reads data once, example by example: evaluate, predict and score need no memory for all of it, and
//
// take
//
//	  standard input.
//	- [FileReader] has the workers of a cluster read files.
//	- [SavedReader] marks a FileReader of saved DataSets.
//	- [Halver] has parts to train with and to hold out by itself.
//	- distributed.EngineKind is for what only an engine can open, such as a query.
//
// A Kind is safe for concurrent use.
type Kind interface {
	// About says how data of the kind is named.
	About() About
	// Check finds mistakes in the place and in the values of settings, without opening anything. It fails with a SpecError
	// or a SettingError, or a MismatchError where settings contradict what the data is opened for. It is not asked about
	// settings that About does not have: these are errors.
	Check(n Name, o Options) error
	// Open opens data. It is called after Check. The context governs the source's reads too, those of its files that are
	// read later.
	Open(ctx context.Context, n Name, o Options) (Source, error)
}

// About describes a kind of data, for messages and help texts.
type About struct {
	// Form is the form of a name, with placeholders in capitals: "csv:FILE?label=COLUMN&classes=N".
	Form string
	// Text describes the kind in a few words: "a table".
	Text string
	// More is the explanation in the long help; it may be empty.
	More string
	// Settings are the keys that stand behind the question mark, and the flags of the commands.
	Settings []Setting
	// Verbatim says that a question mark belongs to the place: settings are given by flags alone.
	Verbatim bool
	// Endings are those of the names of files that are likely of this kind: ".csv".
	Endings []string
	// Directories says that the place may be a directory.
	Directories bool
}

// Setting is a setting of a kind of data.
type Setting struct {
	Name string // the key: "label"
	// Flag is the name of the command line's flag; empty if that is Name. Kinds share flags: settings with the same
	// meaning have one flag.
	Flag string
	// Value is the placeholder of the value in help texts: "COLUMN".
	Value string
	// Text describes the setting in a few words: "the label column".
	Text string
	// Default describes the default, if it is not obvious: "the last column". It may be empty.
	Default string
	// Offer are values that a shell completes.
	Offer []string
	// List says that there may be several values, separated by commas (see Values).
	List bool
	// Switch says that the value is true or false, and true if only the flag's name is given.
	Switch bool
	// Rare leaves the flag to the long help.
	Rare bool
	// Raw says that the setting is about reading raw rows (see [Tabular]), not about the use of their columns.
	Raw bool
}

// FlagName is the name of the setting's flag.
func (s Setting) FlagName() string {
	if s.Flag != "" {
		return s.Flag
	}
	return s.Name
}

// Setting gives the setting of a name.
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
	// As has the names of columns and classes that a model knows: data is taken by them. Data whose names don't fit is
	// refused with a MismatchError. Data without names is taken by position, but for CSV files without a header where
	// columns have names. Nil takes all by position.
	As *data.Schema
	// Unlabelled says that labels are not wanted: a kind may leave them out, and mistakes in them do not matter.
	Unlabelled bool
	// Preparation, unless nil, makes the examples of raw columns, by a pipeline. The kind is [Tabular].
	Preparation *Preparation `json:",omitempty"`
	// Noted, unless nil, reports whether notes count new values of the raw row with this index.
	Noted func(row int) bool `json:"-"`
	// TextGaps, unless nil, has texts among numbers count as gaps.
	TextGaps *TextGaps `json:",omitempty"`
	// Room, unless nil, has OpenName give single examples as [Stored], where they can be read one after the other.
	Room *Room `json:"-"`
}

// Streamer is a Kind whose data can be read once, example by example.
type Streamer interface {
	Kind
	// Stream opens data; its place may be "-", standard input, where StandardInput says so. The examples are those of
	// Open. As nothing is known of later lines, settings must say whatever one line does not. The context governs the
	// reads too, until Close.
	Stream(ctx context.Context, n Name, o Options) (Examples, error)
	// Streams reports whether Stream gives the same examples as Open, for any data with this name.
	Streams(n Name, o Options) bool
}

// FileReader is a Kind whose files workers can read, each by itself.
type FileReader interface {
	Kind
	// ByWorkers reports whether the workers of a cluster read the data instead of the driver: the place is a file or a
	// directory on storage that they see, and the settings say whatever one file does not.
	ByWorkers(n Name) bool
	// ReadFile gives each the examples of a file, minibatch by minibatch; these are each's own. Labels are by the schema
	// of o. Errors name the file, and the place in it.
	ReadFile(n Name, o Options, path string, content *bytes.Reader, each func(*data.MultiDataSet) error) error
}

// FolderReader is a FileReader that also reads files in subdirectories.
type FolderReader interface {
	FileReader
	// Among selects the files below the place, and completes the options from the paths: the classes, if these are the
	// directories' names.
	Among(n Name, o Options, paths []string) (taken []string, _ Options, err error)
}

// SavedReader is a FileReader whose files are Deeplearning4j's saved DataSets: training from exported files trains from
// these as they are, and a cluster's may be in the form in which it keeps an export.
type SavedReader interface {
	FileReader
	SavedDataSets()
}

// Halver is a Kind that has a part to train with, and one to hold out.
type Halver interface {
	Kind
	// Halves gives both, where the name leaves the choice.
	Halves(n Name) (train, test Name, ok bool)
}

var kinds = registry.New[Kind]("kind of data")

// Register makes a kind of data known under a name, in lower case, which stands before the colon. It is called from
// init. A name that is taken panics.
func Register(name string, k Kind) { kinds.Add(name, k) }

// Kinds are the names of the kinds of data that are known, in alphabetical order.
func Kinds() []string { return kinds.Names() }

// KindOf gives the kind of a name.
func KindOf(name string) (Kind, bool) { return kinds.Get(name) }
