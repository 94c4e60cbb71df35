package distributed

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// findTable finds the files of a table: one, those of a directory, or those of a pattern.
func (c *clusterFiles) findTable(reader source.FileReader) func(engine.Engine, string) error {
	return func(e engine.Engine, place string) (err error) {
		raw, ok := reader.(source.RawFiles)
		if !ok {
			return c.find(reader)(e, place)
		}
		if c.paths, err = rawPaths(c.ctx, e, raw, place); err == nil {
			c.rows = c.by.files(e, c.paths, 0)
		}
		return err
	}
}

// lookAtTable has workers find the columns in the first file with rows and, if no setting says them, the classes in all
// files. The driver gets the names of the columns and the different labels.
func (c *clusterFiles) lookAtTable(e engine.Engine, k source.TableFiles) error {
	for _, path := range c.paths {
		looks, err := c.looks(c.by.files(e, []string{path}, 1).Map(lookAtTable.With(c.by)))
		if err != nil {
			return err
		}
		if len(looks) == 1 && looks[0].Table.Width > 0 {
			c.by.For.Table = &looks[0].Table
			break
		}
	}
	if c.by.For.Table == nil || !source.NeedsClasses(k, c.by.Name, c.by.For) {
		return nil
	}
	looks, err := c.looks(c.rows.Map(lookForLabels.With(c.by)))
	if err != nil {
		return err
	}
	var labels []source.FoundLabel
	for _, look := range looks {
		labels = append(labels, look.Labels...)
	}
	if labels == nil {
		return noExamples(c.by.Name)
	}
	c.by.For, err = source.WithClasses(k, c.by.Name, c.by.For, labels)
	return err
}

// surveyedTable completes the description of a table, and leaves out files without rows.
func (c *clusterFiles) surveyedTable(e engine.Engine) {
	c.survey.Info.ClassesFound = c.by.For.Table != nil && c.by.For.Table.Found
	c.paths = slices.DeleteFunc(c.paths, func(path string) bool { return c.survey.blank[path] })
	c.survey.Files = len(c.paths)
	c.rows = c.by.files(e, c.paths, 0)
}

// tableLook is what a worker finds in a file.
type tableLook struct {
	Table    source.TableLook
	Labels   []source.FoundLabel
	Mismatch string // the error of a file that does not fit the model
}

// looks returns what workers find, in the order of the files.
func (c *clusterFiles) looks(rows *engine.Dataset) (all []tableLook, err error) {
	err = rows.Collect(c.ctx, func(_ int, row engine.Row) error {
		var look tableLook
		if err := json.Unmarshal(row.Bytes, &look); err != nil {
			return err
		}
		if look.Mismatch != "" {
			return &source.MismatchError{Err: errors.New(look.Mismatch)}
		}
		all = append(all, look)
		return nil
	})
	return all, err
}

// lookWith has a worker look at each file of a partition.
func lookWith(name string, look func(k source.TableFiles, files filesOf, path string,
	content source.Content) (tableLook, error)) engine.Op[filesOf] {
	return engine.Register(name, func(t *engine.Task, files filesOf, in engine.Rows, out engine.Writer) error {
		kind, _ := source.KindOf(files.Name.Kind)
		k, ok := kind.(source.TableFiles)
		if !ok {
			return engine.Permanent(unknownKind(files.Name))
		}
		return eachOpened(t, in, func(path string, content source.Content) error {
			found, err := look(k, files, path, content)
			if other := (*source.MismatchError)(nil); errors.As(err, &other) {
				found.Mismatch, err = err.Error(), nil
			}
			if err != nil {
				return engine.Permanent(err)
			}
			b, err := json.Marshal(found)
			if err != nil {
				return err
			}
			return out.Write(engine.Unindexed(b))
		})
	})
}

// lookAtTable reads the columns of a file.
var lookAtTable = lookWith("distributed.lookAtTable",
	func(k source.TableFiles, files filesOf, path string, content source.Content) (l tableLook, err error) {
		l.Table, err = source.Look(k, files.Name, files.For, path, content)
		return l, err
	})

// lookForLabels reads the different labels of a file.
var lookForLabels = lookWith("distributed.lookForLabels",
	func(k source.TableFiles, files filesOf, path string, content source.Content) (l tableLook, err error) {
		l.Labels, err = source.FoundLabels(k, files.Name, files.For, path, content)
		return l, err
	})
