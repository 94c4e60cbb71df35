package spark

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/connect"
)

// OpenSaved reads what was kept from its files, whether the catalogue knows it or not.
func (e *Engine) OpenSaved(ctx context.Context, place string) (*engine.Dataset, error) {
	if err := checkDir(place); err != nil {
		return nil, err
	}
	var saved savedRows
	err := e.do(ctx, func(j *job) error {
		dir, err := j.rowsIn(place)
		if err != nil {
			return err
		}
		saved.table = "parquet." + connect.Quote(dir)
		most, err := j.texts(j.ctx, "SELECT string(max(p)) FROM "+saved.table)
		if err != nil {
			return err
		}
		last, err := strconv.Atoi(most[0][0])
		if err != nil {
			return fmt.Errorf("%s: there are no rows", place)
		}
		saved.commits, _, err = j.readCommits(query{sql: "SELECT told AS line FROM " + saved.table + " WHERE told IS NOT NULL"}, last+1)
		return err
	})
	if err != nil {
		return nil, e.fileError("open", place, err)
	}
	return engine.FromPlan(e, &saved, len(saved.commits)), nil
}

// rowsIn finds the directory of the rows at a place where something was kept.
func (j *job) rowsIn(place string) (string, error) {
	files, err := j.session.InputFiles(j.ctx, connect.Files("binaryFile", map[string]string{"recursiveFileLookup": "true"}, place))
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
		return "", fmt.Errorf("%s holds nothing that a run has saved and kept", place)
	}
	return dir, nil
}
