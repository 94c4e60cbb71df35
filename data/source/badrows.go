package source

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// RowError is an error of a single row, such as a line with too few fields. Reading may go on with the next row. The
// text names the file, the row and the column.
type RowError struct {
	Err error
	// Ragged is true if the number of the row's values is not the number of columns.
	Ragged bool
	// Of names what is broken if that is not a row, such as "picture". Empty: a row.
	Of string
}

func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// raggedError is the error of a row with more or fewer values than there are columns.
type raggedError struct{ error }

func (e *raggedError) Unwrap() error { return e.error }

// isRagged reports whether err is or wraps a raggedError.
func isRagged(err error) bool {
	var ragged *raggedError
	return errors.As(err, &ragged)
}

// BadRows decides whether rows that cannot be read, or that a pipeline refuses, are errors or skipped, and counts the
// skipped ones. The zero value refuses the first one.
type BadRows struct {
	// Limit is the maximum number of rows to skip.
	Limit int
	// Ragged allows any number of rows with more or fewer values than there are columns to be skipped.
	Ragged bool
	// Skipped counts the rows that were skipped.
	Skipped int
	// First holds the errors of the first rows that were skipped.
	First []error
	// Of says what is skipped, if not rows: "picture".
	Of string

	refused int // number of the skipped rows that a pipeline refused
}

// badRowsSetting is the setting of tables that configures BadRows.
var badRowsSetting = Setting{Name: "bad-rows", Value: "POLICY", Text: "rows to skip: fail, ragged or skip:N",
	Offer: []string{"fail", "ragged", "skip:10"}, Rare: true, Raw: true}

// badPicturesSetting is the setting of pictures that configures BadRows.
var badPicturesSetting = Setting{Name: "bad-rows", Value: "POLICY", Text: "pictures to skip: fail or skip:N",
	Offer: []string{"fail", "skip:10"}, Rare: true}

// SkipsFiles is a FolderReader that may skip files by the setting of BadRows, without a pipeline. Errors of such files
// are RowErrors.
type SkipsFiles interface {
	FolderReader
	// SkipsFiles returns the policy, which skips nothing if the setting is not given.
	SkipsFiles(n Name) *BadRows
}

// BadRowsSetting returns the setting for a kind whose rows go through a pipeline.
func BadRowsSetting() Setting { return badRowsSetting }

// BadRows returns the policy in the settings, or nil if the first bad row is an error.
func (n Name) BadRows() *BadRows {
	policy, given := n.Settings[badRowsSetting.Name]
	if !given {
		return nil
	}
	bad, _ := ParseBadRows(policy) // the setting was checked before
	if bad == nil || bad.Limit == 0 && !bad.Ragged {
		return nil
	}
	return bad
}

// OnlyBadRows returns the name with its kind and the bad-rows setting only.
func (n Name) OnlyBadRows() Name {
	only := Name{Kind: n.Kind}
	if policy, given := n.Settings[badRowsSetting.Name]; given {
		only.Settings = map[string]string{badRowsSetting.Name: policy}
	}
	return only
}

// TakeBadRows removes the policy from the name and returns it, for a caller that applies it itself. otherwise is the
// policy if the name has none.
func (n Name) TakeBadRows(otherwise string) (Name, *BadRows) {
	policy, given := n.Settings[badRowsSetting.Name]
	if !given {
		policy = otherwise
	}
	bad, err := ParseBadRows(policy)
	if err != nil { // Check refuses such a policy
		bad = &BadRows{}
	}
	return n.without(badRowsSetting.Name), bad
}

// CheckBadRows checks the setting.
func (n Name) CheckBadRows() error {
	policy, given := n.Settings[badRowsSetting.Name]
	if !given {
		return nil
	}
	if _, err := ParseBadRows(policy); err != nil {
		return &SettingError{badRowsSetting.Name, policy, "fail, ragged, or skip:N for up to N rows, should be here"}
	}
	return nil
}

// firstBadRows is the number of errors that a notice names.
const firstBadRows = 3

// ParseBadRows parses a policy: "fail"; "ragged", to skip rows with more or fewer values than there are columns; or
// "skip:N", for up to N rows.
func ParseBadRows(text string) (*BadRows, error) {
	switch text {
	case "fail":
		return &BadRows{}, nil
	case "ragged":
		return &BadRows{Ragged: true}, nil
	}
	if count, ok := strings.CutPrefix(text, "skip:"); ok {
		if n, err := strconv.Atoi(count); err == nil && n > 0 {
			return &BadRows{Limit: n}, nil
		}
	}
	return nil, specf("%q: fail, ragged, or skip:N for up to N rows, should be here", text)
}

// Allow counts a row with an error. It returns nil if reading may go on, otherwise the error. It returns errors that
// are no RowError unchanged. A nil BadRows returns all errors unchanged.
func (b *BadRows) Allow(err error) error {
	var row *RowError
	if b == nil || !errors.As(err, &row) {
		return err
	}
	if b.Skipped >= b.Limit && !(b.Ragged && row.Ragged) {
		if b.Limit > 0 {
			return fmt.Errorf("%w; bad-rows=skip:%d allows no more", err, b.Limit)
		}
		return err
	}
	b.Skipped++
	if len(b.First) < firstBadRows {
		b.First = append(b.First, row.Err)
	}
	return nil
}

// Advise adds to the error of a row what to do about it, for workers, whose errors lose their type.
func Advise(err error) error {
	var row *RowError
	if !errors.As(err, &row) || strings.Contains(err.Error(), "; ") {
		return err
	}
	return fmt.Errorf("%w; correct it, or leave such %ss out with bad-rows=skip:N", err, cmp.Or(row.Of, "row"))
}

// Refuse is Allow for the error of a row that a pipeline refuses.
func (b *BadRows) Refuse(err error) error {
	if b == nil {
		return &RowError{Err: err}
	}
	if err = b.Allow(&RowError{Err: err}); err == nil {
		b.refused++
	}
	return err
}

// Found is a worker's report of the rows that it skipped: their number, the number of those that the pipeline refused,
// and the first errors.
type Found struct {
	Skipped int      `json:",omitempty"`
	Refused int      `json:",omitempty"`
	First   []string `json:",omitempty"`
	// Unseen lists values that the training rows of the model did not have. Their rows are not skipped.
	Unseen []Unseen `json:",omitempty"`
}

// Join adds the rows that another worker skipped.
func (f *Found) Join(o Found) {
	f.Skipped, f.Refused, f.First = f.Skipped+o.Skipped, f.Refused+o.Refused, append(f.First, o.First...)
	f.Unseen = JoinUnseen(f.Unseen, o.Unseen)
}

// Found reports the skipped rows. b may be nil.
func (b *BadRows) Found() (f Found) {
	if b == nil {
		return f
	}
	f.Skipped, f.Refused = b.Skipped, b.refused
	for _, err := range b.First {
		f.First = append(f.First, err.Error())
	}
	return f
}

// Add adds the rows that a worker skipped. It fails if more rows were skipped than the policy allows. b may be nil.
func (b *BadRows) Add(f Found) error {
	if f.Skipped == 0 || b == nil {
		return nil
	}
	b.Count(f.Skipped, f.First)
	if b.Limit > 0 && b.Skipped > b.Limit {
		return fmt.Errorf("%w; bad-rows=skip:%d allows no more", b.First[len(b.First)-1], b.Limit)
	}
	return nil
}

// Count adds rows that were skipped elsewhere, and their first errors.
func (b *BadRows) Count(skipped int, first []string) {
	b.Skipped += skipped
	for _, text := range first {
		known := slices.ContainsFunc(b.First, func(err error) bool { return err.Error() == text })
		if len(b.First) < firstBadRows && !known {
			b.First = append(b.First, errors.New(text))
		}
	}
}

// Notice says how many rows were skipped and why the first ones were. It is empty if there were none. b may be nil.
func (b *BadRows) Notice() string {
	if b == nil || b.Skipped == 0 {
		return ""
	}
	texts := make([]string, len(b.First))
	for i, err := range b.First {
		texts[i] = err.Error()
	}
	of := cmp.Or(b.Of, "row")
	rows, more := fmt.Sprintf("1 %s was", of), ""
	if b.Skipped > 1 {
		rows = fmt.Sprintf("%d %ss were", b.Skipped, of)
	}
	if b.Skipped > len(b.First) {
		more = "; …"
	}
	return fmt.Sprintf("%s skipped: %s%s", rows, strings.Join(texts, "; "), more)
}
