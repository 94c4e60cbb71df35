package spark

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// lookup bounds queries of the catalogue and of files. Long lists of files take a while.
const lookup = 30 * time.Minute

// catalogue asks a session's server about databases, tables, views and files.
type catalogue struct{ session *connect.Session }

// exec runs a command.
func (c catalogue) exec(ctx context.Context, sql string) error {
	_, err := c.session.Exec(ctx, sql)
	return err
}

// texts runs a command or a query and returns its text columns; others are empty.
func (c catalogue) texts(ctx context.Context, sql string) (rows [][]string, err error) {
	r, err := c.session.Exec(ctx, sql)
	if err != nil {
		return nil, err
	}
	err = c.session.Collect(ctx, r, connect.Run{Timeout: lookup}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			row := make([]string, len(b.Columns))
			for k := range b.Columns {
				if b.Columns[k].Type.Kind == arrow.String {
					row[k] = b.Columns[k].Text(i)
				}
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// dropTable drops a table for good, if the catalogue can: otherwise its files may stay for a while.
func (c catalogue) dropTable(ctx context.Context, table string) error {
	err := c.exec(ctx, "DROP TABLE IF EXISTS "+table+" PURGE")
	if gone(err) {
		return nil
	}
	var spark *connect.Error
	if errors.As(err, &spark) && strings.Contains(strings.ToLower(spark.Error()), "purge") {
		err = c.exec(ctx, "DROP TABLE IF EXISTS "+table)
	}
	return err
}

// location returns the directory of a table.
func (c catalogue) location(ctx context.Context, table string) (string, error) {
	rows, err := c.texts(ctx, "DESCRIBE TABLE EXTENDED "+table)
	for _, row := range rows {
		if row[0] == "Location" {
			return parseURL(row[1]).String(), nil
		}
	}
	if err == nil {
		err = fmt.Errorf("the catalogue does not say where the table %s lies", table)
	}
	return "", err
}

// current returns the session's catalogue and database.
func (c catalogue) current(ctx context.Context) (catalogue, database string, err error) {
	rows, err := c.texts(ctx, "SELECT current_catalog(), current_database()")
	if err != nil {
		return "", "", err
	}
	return rows[0][0], rows[0][1], nil
}

// databaseLocation returns the directory of a database.
func (c catalogue) databaseLocation(ctx context.Context, name string) (string, error) {
	rows, err := c.texts(ctx, "DESCRIBE DATABASE "+name)
	for _, row := range rows {
		if row[0] == "Location" {
			return parseURL(row[1]).String(), nil
		}
	}
	if err == nil {
		err = fmt.Errorf("the catalogue does not say where the database %s lies", name)
	}
	return "", err
}

// dotted joins the parts of a name for SQL.
func dotted(parts ...string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = connect.Quote(p)
	}
	return strings.Join(quoted, ".")
}

// literal writes a text in SQL, as one token. No character of it can have a special meaning: all but a
// few are written as numbers.
func literal(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		if r < 0x80 && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("/._:-", r)) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// createDatabase makes a database at a location.
func (c catalogue) createDatabase(ctx context.Context, name, location string) error {
	// With a setting, Spark does not decode numbers in a literal.
	test, err := c.texts(ctx, "SELECT "+literal("=")+" AS test")
	if err == nil && test[0][0] != "=" {
		err = c.session.Set(ctx, map[string]string{"spark.sql.parser.escapedStringLiterals": "false"})
	}
	if err != nil {
		return err
	}
	return c.exec(ctx, "CREATE DATABASE "+name+" LOCATION "+literal(location))
}

// exists reports whether there is a file or directory.
func (c catalogue) exists(ctx context.Context, path string) (bool, error) {
	_, err := c.session.InputFiles(ctx, connect.Files("binaryFile", nil, globless.Replace(path)))
	if gone(err) {
		return false, nil
	}
	return err == nil, err
}

// removeDirectory removes a directory that the catalogue doesn't know. It makes a database with this location, and
// drops it.
func (c catalogue) removeDirectory(ctx context.Context, database, path string) error {
	if err := c.createDatabase(ctx, dotted(database), path); err != nil {
		return err
	}
	return c.exec(ctx, "DROP DATABASE IF EXISTS "+dotted(database)+" CASCADE")
}

// checkDir refuses a directory that Spark could not save to, or would misinterpret.
func checkDir(dir string) error {
	at := parsePath(dir)
	switch {
	case dir == "":
	case strings.ContainsAny(dir, `*?[]{}\`):
		return fmt.Errorf("%s: Spark takes the characters *?[]{}\\ in a path for a pattern: name another directory to save "+
			"to", dir)
	case !strings.HasPrefix(at.path, "/"):
		return fmt.Errorf("%s: a whole path or URL is needed to save to, such as hdfs://namenode/exports or /exports", dir)
	}
	return nil
}

// under returns the path of a file in a directory.
func under(dir, name string) string { return strings.TrimRight(dir, "/") + "/" + name }
