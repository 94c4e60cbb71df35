package train

import (
	"errors"
	"fmt"
	"strings"
)

// Term is the subject of an error of this package: a field of [Config], such as "Save" or "Stopping.Latest", or one of
// the phrases below. A program with other names for these things, such as a command line, has a text for each Term:
// see [Text].
type Term string

// Phrases, with %s in the place of a directory.
const (
	RunResumed Term = "a run resumed from %s" // a subject
	ToResume   Term = "Resume of %s"          // as advice
	OtherSave  Term = "with another Save"
	Overwrite  Term = "set another file, or Overwrite"
	ModelFile  Term = "a model file"
)

// of returns the phrase for a directory.
func (t Term) of(dir string) phrase { return phrase{t, dir} }

// Text returns the text of an error with other words for some terms: see [Term]. An error about a setting begins with
// the words for its field and a colon, or with neither if these words are empty.
func Text(err error, words map[Term]string) string {
	if err == nil {
		return ""
	}
	if e, ok := err.(interface{ text(map[Term]string) string }); ok {
		return e.text(words)
	}
	text := err.Error()
	for _, inner := range within(err) {
		if said := Text(inner, words); said != inner.Error() {
			text = strings.Replace(text, inner.Error(), said, 1)
		}
	}
	return text
}

// within returns the errors that an error wraps.
func within(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return []error{inner}
		}
	}
	return nil
}

func (t Term) in(words map[Term]string) string {
	if w, ok := words[t]; ok {
		return w
	}
	return string(t)
}

// phrase is a term about a directory.
type phrase struct {
	term Term
	dir  string
}

func (p phrase) in(words map[Term]string) string { return fmt.Sprintf(p.term.in(words), p.dir) }

// message is an error with terms, phrases and errors among its arguments.
type message struct {
	format string
	args   []any
}

// sayf is fmt.Errorf for arguments that are or contain terms.
func sayf(format string, args ...any) error { return &message{format, args} }

func (m *message) text(words map[Term]string) string {
	args := make([]any, len(m.args))
	for i, a := range m.args {
		switch a := a.(type) {
		case interface{ in(map[Term]string) string }:
			args[i] = a.in(words)
		case error:
			args[i] = errors.New(Text(a, words))
		default:
			args[i] = a
		}
	}
	return fmt.Errorf(m.format, args...).Error()
}

func (m *message) Error() string { return m.text(nil) }

func (m *message) Unwrap() (errs []error) {
	for _, a := range m.args {
		if err, ok := a.(error); ok {
			errs = append(errs, err)
		}
	}
	return errs
}

// about returns the text of an error about a setting. named reports that err begins with the setting's value.
func about(field Term, named bool, err error, words map[Term]string) string {
	name, ok := words[field]
	switch text := Text(err, words); {
	case !ok:
		return "train.Config." + string(field) + ": " + text
	case name == "":
		return text
	case named:
		return name + " " + text
	default:
		return name + ": " + text
	}
}
