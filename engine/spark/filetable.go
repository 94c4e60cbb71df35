package spark

import (
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/engine/spark/arrow"
	"github.com/dl4go/dl4go/engine/spark/connect"
	"github.com/dl4go/dl4go/engine/worker"
)

// files makes the table of files that Spark reads.
func (j *job) files(paths [][]string, need []int) (table, error) {
	rows, err := j.fileRows(paths, need)
	return table{rows: rows, shape: func(p int, t *worker.Task) {
		t.Open = true
		n := int64(len(paths[p]))
		t.Links = append([]worker.Link{{Partition: p, Count: &n}}, t.Links...)
	}}, err
}

// fileRows is a query for the records of files.
func (j *job) fileRows(paths [][]string, need []int) (query, error) {
	var names []string
	seen := make(map[string]bool)
	var list struct {
		path     []string
		p, place []int64
		head     [][]byte
	}
	for _, p := range need {
		for i, path := range paths[p] {
			if !seen[path] {
				seen[path] = true
				names = append(names, globless.Replace(path))
			}
			list.path, list.p, list.place = append(list.path, path), append(list.p, int64(p)), append(list.place, int64(i))
			list.head = append(list.head, engine.File{Path: path}.Row().Bytes)
		}
	}
	moved := places(len(paths))
	if len(names) > 0 {
		resolved, err := j.resolve(list.path, names)
		if err != nil {
			return query{}, err
		}
		for i, path := range list.path {
			list.path[i] = resolved[path]
		}
		order, err := j.session.Upload(j.ctx, &arrow.Batch{Rows: len(list.p), Schema: arrow.Schema{
			{Name: "file", Type: arrow.Of(arrow.String)}, {Name: "q", Type: arrow.Of(arrow.Int64)},
			{Name: "place", Type: arrow.Of(arrow.Int64)}, {Name: "head", Type: arrow.Of(arrow.Binary)}},
			Columns: []arrow.Column{arrow.Strings(list.path), arrow.Int64s(list.p), arrow.Int64s(list.place), arrow.Binaries(list.head)}})
		if err != nil {
			return query{}, err
		}
		listed, err := j.view(order)
		if err != nil {
			return query{}, err
		}
		read, err := j.view(connect.Files("binaryFile", nil, names...).Select(connect.Col("path"), connect.Col("content")))
		if err != nil {
			return query{}, err
		}
		// The list goes to where the files are read. Spark leaves out files that are empty; one that is missing is an error
		// before it comes to this.
		moved = sqlf(`SELECT /*+ BROADCAST(o) */ int(q) AS p, 'r' AS k, concat(head, content) AS bytes, '' AS line, place, bigint(0) AS seq
				FROM `+read+` f JOIN `+listed+` o ON f.path = o.file
			UNION ALL SELECT int(q) AS p, 'r' AS k, head AS bytes, '' AS line, place, bigint(0) AS seq
				FROM `+listed+` o LEFT ANTI JOIN (SELECT path FROM `+read+`) f ON f.path = o.file
			UNION ALL SELECT p, k, NULL AS bytes, line, place, seq FROM (%s)`, moved)
		// What is moved are the bytes, as their text is longer.
		text := "base64(bytes)"
		if strings.HasPrefix(j.session.Version(), "3.") { // which may wrap the lines
			text = `replace(` + text + `, '` + "\r\n" + `', '')`
		}
		return sqlf(`SELECT p, k, IF(bytes IS NULL, line, concat(p, '`+"\t0\t0\tr\t-1\t"+`', `+text+`)) AS line FROM (%s)`,
			j.engine.placedAs("p, k, bytes, line", moved, len(paths), inBlocks)), nil
	}
	return j.engine.placed(moved, len(paths), inBlocks), nil
}
