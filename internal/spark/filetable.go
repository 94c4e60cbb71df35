package spark

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
	"github.com/dl4go/dl4go/storage"
)

// fileReader makes tables of files, which either the workers or Spark reads.
type fileReader struct{ *job }

func (j *job) files() fileReader { return fileReader{j} }

// table makes the table of files. Workers read the files themselves, and get Spark's information about each. If they
// can't, Spark reads the files.
func (j fileReader) table(files engine.Files, need []int) (table, error) {
	paths := files.Partitions
	rows, fetch, err := j.fileRows(files, need)
	return table{rows: rows, shape: func(p int, t *worker.Task) {
		t.Open = true
		n := int64(len(paths[p]))
		first := []worker.Link{{Partition: p, Count: &n}}
		sizes, times := j.engine.listed(paths[p])
		if fetch != nil {
			of := *fetch
			of.Times = times
			if files.Cuts != nil {
				of.Cuts, sizes = files.Cuts[p], nil
			}
			if of.Opened = files.Opened; of.Opened {
				sizes = nil
			}
			first = append(first, worker.Link{Partition: p, Fetch: &of})
		}
		if sizes != nil {
			first = append(first, worker.Link{Partition: p, Sizes: sizes})
		}
		if files.Cuts != nil && fetch == nil {
			first = append(first, worker.Link{Partition: p, Cuts: files.Cuts[p]})
		}
		t.Links = append(first, t.Links...)
	}}, err
}

// listings is an engine's knowledge of files.
type listings struct {
	*cluster
	stamps    map[string]storage.Stamp // of files that Spark listed, by path
	unfetched map[string]error         // directories of files that workers could not read themselves, with the reason
}

func newListings(c *cluster) *listings {
	return &listings{cluster: c, stamps: make(map[string]storage.Stamp), unfetched: make(map[string]error)}
}

// listed returns the sizes and the modification times (in milliseconds) that files had when they were listed: -1 for
// files that were not listed, nil if none was.
func (e *listings) listed(paths []string) (sizes, times []int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, path := range paths {
		stamp, ok := e.stamps[path]
		if !ok {
			continue
		}
		if sizes == nil {
			sizes, times = slices.Repeat([]int64{-1}, len(paths)), slices.Repeat([]int64{-1}, len(paths))
		}
		sizes[i], times[i] = stamp.Size, stamp.Modified.UnixMilli()
	}
	return sizes, times
}

// listing is the files of the needed partitions, one after the other.
type listing struct {
	path     []string
	p, place []int64
	head     [][]byte // the first piece of each record
}

// fileRows returns a query for the records of files, or of references to them. Each file has three parts: its name, its
// contents unless it is empty, and its end.
func (j fileReader) fileRows(files engine.Files, need []int) (rows query, fetch *worker.Fetch, err error) {
	paths := files.Partitions
	var names []string
	seen := make(map[string]bool)
	var list listing
	for _, p := range need {
		for i, path := range paths[p] {
			if !seen[path] {
				seen[path] = true
				names = append(names, path)
			}
			list.path, list.p, list.place = append(list.path, path), append(list.p, int64(p)), append(list.place, int64(i))
			list.head = append(list.head, engine.File{Path: path}.Row().Bytes)
		}
	}
	moved := places(len(paths))
	if len(names) == 0 {
		return j.engine.placed(moved, len(paths), inBlocks), nil, nil
	}
	lent, own := j.lend(files.Watch, names)
	var listed, contents string
	switch {
	case errors.As(own, new(*storage.ChangedError)):
		err = own
	case lent != nil:
		fetch = &lent.Fetch
		listed, contents, err = j.lentContents(list, lent.loans)
	default:
		listed, contents, fetch, err = j.readContents(list, names)
		err = j.engine.alone(names[0], own, err)
	}
	if err != nil {
		return "", nil, err
	}
	moved = sqlf(`SELECT int(q) AS p, 'p' AS k, head AS bytes, '' AS line, place, bigint(0) AS seq FROM `+listed+`
		UNION ALL `+contents+`
		UNION ALL SELECT int(q) AS p, 'r' AS k, NULL AS bytes, '' AS line, place, bigint(2) AS seq FROM `+listed+`
		UNION ALL SELECT p, k, NULL AS bytes, line, place, seq FROM (%s)`, moved)
	// The bytes are moved, as their text is longer.
	text := "base64(bytes)"
	if strings.HasPrefix(j.session.Version(), "3.") { // which may wrap the lines
		text = `replace(` + text + `, '` + "\r\n" + `', '')`
	}
	return sqlf(`SELECT p, k, IF(k = '`+place+`', line, concat(p, '`+"\t0\t0\t', k, "+
		"'\t-1\t"+`', IF(bytes IS NULL, '-', `+text+`))) AS line FROM (%s)`,
		j.engine.placedAs("p, k, bytes, line", moved, len(paths), inBlocks, positions)), fetch, nil
}

// listed makes a view of the list, with one additional column.
func (j fileReader) listed(list listing, name string, t arrow.Type, column arrow.Column) (string, error) {
	order, err := j.session.Upload(j.ctx, &arrow.Batch{Rows: len(list.p), Schema: arrow.Schema{
		{Name: name, Type: t}, {Name: "q", Type: arrow.Of(arrow.Int64)},
		{Name: "place", Type: arrow.Of(arrow.Int64)}, {Name: "head", Type: arrow.Of(arrow.Binary)}},
		Columns: []arrow.Column{column, arrow.Int64s(list.p), arrow.Int64s(list.place), arrow.Binaries(list.head)}})
	if err != nil {
		return "", err
	}
	return j.view(order)
}

// lentContents uses references to loans as contents. Spark does not see the files.
func (j fileReader) lentContents(list listing, loans map[string][]byte) (listed, contents string, err error) {
	references := make([][]byte, len(list.path))
	for i, path := range list.path {
		references[i] = loans[path]
	}
	listed, err = j.listed(list, "loan", arrow.Of(arrow.Binary), arrow.Binaries(references))
	return listed, `SELECT int(q) AS p, 'p' AS k, loan AS bytes, '' AS line, place, bigint(1) AS seq FROM ` + listed +
		` WHERE length(loan) > 0`, err
}

// readContents makes Spark read files, or describe them in references.
func (j fileReader) readContents(list listing, names []string) (listed, contents string,
	fetch *worker.Fetch, err error) {
	globs := make([]string, len(names))
	for i, name := range names {
		globs[i] = globless.Replace(name)
	}
	files := connect.Files("binaryFile", nil, globs...)
	resolved, err := j.resolve(list.path, files)
	if err != nil {
		return "", "", nil, err
	}
	at := make([]string, len(list.path))
	for i, path := range list.path {
		at[i] = resolved[path]
	}
	if listed, err = j.listed(list, "file", arrow.Of(arrow.String), arrow.Strings(at)); err != nil {
		return "", "", nil, err
	}
	content := "content"
	if b := j.looked(at); b != nil { // Spark opens no file
		fetch, content = &b.Fetch, "binary(concat_ws(' ', length, unix_millis(modificationTime), path))"
	}
	read, err := j.view(files.Select(connect.Col("path"), connect.Text(content).As("content")))
	// Spark sends the list to the files. A missing file fails before that.
	return listed, `SELECT /*+ BROADCAST(o) */ int(q) AS p, 'p' AS k, content AS bytes, '' AS line, place, bigint(1) AS seq
			FROM ` + read + ` f JOIN ` + listed + ` o ON f.path = o.file`, fetch, err
}

// unfetched makes Spark read files from now on if workers have failed to read them, and reports whether that changes
// anything. It includes all files of the attempt, so that directories with the same problem are not found one by one.
func (j fileReader) unfetched(err error) bool {
	var failure *worker.Failure
	if spark := (*connect.Error)(nil); errors.As(err, &spark) {
		failure, _ = ended(spark)
	}
	if failure == nil && !errors.As(err, &failure) || failure.Unread == "" {
		return false
	}
	e, reason := j.engine, j.explain(err)
	e.mu.Lock()
	known := len(e.unfetched)
	j.fetched[path.Dir(failure.Unread)] = true
	for dir := range j.fetched {
		if e.unfetched[dir] == nil {
			e.unfetched[dir] = reason
		}
	}
	news := len(e.unfetched) > known
	e.mu.Unlock()
	if news {
		e.options.Log.Info("workers can't read these files themselves: Spark reads them, which takes longer",
			"master", e.Master(),
			"host", failure.Host, "reason", failure.Cause)
	}
	return news
}
