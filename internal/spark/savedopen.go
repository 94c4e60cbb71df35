package spark

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// OpenSaved reads kept rows from their files, whether the catalogue knows them or not.
func (e *Engine) OpenSaved(ctx context.Context, place string) (*engine.Dataset, error) {
	if err := checkDir(place); err != nil {
		return nil, err
	}
	var saved savedRows
	err := e.do(ctx, func(j *job) error {
		dir, err := j.files().rowsIn(place)
		if err != nil {
			return err
		}
		saved.table = "parquet." + connect.Quote(dir)
		found, err := j.texts(j.ctx, "SELECT string(min(p)), string(max(p)), string(count(told)) FROM "+saved.table)
		if spark := (*connect.Error)(nil); errors.As(err, &spark) && strings.HasPrefix(spark.Class, "UNRESOLVED_COLUMN") {
			return &engine.SavedError{Place: place, Reason: "its Parquet files have other columns"}
		}
		if err != nil {
			return err
		}
		partitions, err := savedPartitions(found[0])
		if err != nil {
			return &engine.SavedError{Place: place, Reason: err.Error()}
		}
		saved.commits, _, err = j.readCommits(query("SELECT told AS line FROM "+saved.table+
			" WHERE told IS NOT NULL"), partitions)
		return err
	})
	if err != nil {
		return nil, e.fileError("open", place, err)
	}
	return engine.FromPlan(e, &saved, len(saved.commits)), nil
}

// savedPartitions returns the number of saved partitions, from the least and the greatest partition number and the
// number of commits. Each partition has a commit, so foreign files can't make it allocate more memory than they have
// bytes.
func savedPartitions(found []string) (int, error) {
	least, greatest := found[0], found[1]
	if greatest == "" {
		return 0, fmt.Errorf("there are no rows")
	}
	from, err := strconv.ParseInt(least, 10, 64)
	last, err2 := strconv.ParseInt(greatest, 10, 64)
	commits, err3 := strconv.ParseInt(found[2], 10, 64)
	if err := errors.Join(err, err2, err3); err != nil {
		return 0, err
	}
	if from < 0 || last >= commits {
		return 0, fmt.Errorf("there are rows of the partitions %d to %d, and %d commits", from, last, commits)
	}
	return int(last + 1), nil
}

// rowsIn finds the directory of the rows at a place with kept rows.
func (j fileReader) rowsIn(place string) (string, error) {
	files, err := j.session.InputFiles(j.ctx, connect.Files("binaryFile", map[string]string{"recursiveFileLookup": "true"},
		place))
	if err != nil {
		return "", err
	}
	dir, kept := "", false
	for _, f := range files {
		l := parseURL(f)
		if strings.HasSuffix(l.path, ".parquet") {
			l.path = path.Dir(l.path)
			dir = l.String()
		}
		kept = kept || path.Base(path.Dir(l.path)) == keptName
	}
	if dir == "" || !kept {
		return "", &engine.SavedError{Place: place, Reason: "there are no Parquet files, or the mark " + keptName +
			" is not beside them"}
	}
	return dir, nil
}
