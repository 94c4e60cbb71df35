package connect

import (
	"context"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// commands change the state of the server: views, tables, files and checkpoints.
type commands struct{ *operations }

// Exec runs an SQL command, such as CREATE TABLE. It returns the command's result.
func (c *commands) Exec(ctx context.Context, sql string) (Relation, error) {
	wire := &protocol.SqlCommand{Sql: sql}
	var result Relation
	err := c.command(ctx, "run a command", &protocol.Command{CommandType: &protocol.Command_SqlCommand{SqlCommand: wire}},
		Run{},
		func(answer *protocol.ExecutePlanResponse) error {
			if r := answer.GetSqlCommandResult(); r != nil {
				result = Relation{r: r.Relation}
			}
			return nil
		})
	return result, err
}

// CreateView names a relation for the session's SQL, and replaces an earlier relation of that name. The name may have
// any characters; Quote it in SQL. Spark drops the persisted partitions of a replaced relation.
func (c *commands) CreateView(ctx context.Context, name string, r Relation) error {
	return c.createView(ctx, name, r, false)
}

// CreateGlobalView names a relation for all sessions of the server: global_temp.name. The name exists until
// DropGlobalView or the server's end.
func (c *commands) CreateGlobalView(ctx context.Context, name string, r Relation) error {
	return c.createView(ctx, name, r, true)
}

func (c *commands) createView(ctx context.Context, name string, r Relation, global bool) error {
	if r.err != nil {
		return r.err
	}
	wire := &protocol.CreateDataFrameViewCommand{Input: r.r, Name: Quote(name), Replace: true, IsGlobal: global}
	return c.command(ctx, "create a view", &protocol.Command{
		CommandType: &protocol.Command_CreateDataframeView{CreateDataframeView: wire}}, Run{}, ignore)
}

// DropGlobalView forgets the name. Persisted partitions of the relation stay: Unpersist it before, by the view's name.
func (c *commands) DropGlobalView(ctx context.Context, name string) error {
	_, err := c.Exec(ctx, "DROP VIEW IF EXISTS global_temp."+Quote(name))
	return err
}

// DropView forgets the name. Persisted partitions of the relation stay.
func (c *commands) DropView(ctx context.Context, name string) error {
	_, err := c.Exec(ctx, "DROP VIEW IF EXISTS "+Quote(name))
	return err
}

// SaveMode says what to do if the target exists.
type SaveMode int

// The modes.
const (
	ErrorIfExists SaveMode = iota
	Append
	Overwrite
)

func (m SaveMode) wire() protocol.WriteOperation_SaveMode {
	return [...]protocol.WriteOperation_SaveMode{protocol.WriteOperation_SAVE_MODE_ERROR_IF_EXISTS,
		protocol.WriteOperation_SAVE_MODE_APPEND, protocol.WriteOperation_SAVE_MODE_OVERWRITE}[m]
}

// SaveTable makes a table of a relation's rows (Append: adds to one). An empty format is the server's default.
func (c *commands) SaveTable(ctx context.Context, r Relation, table, format string, mode SaveMode, run Run) error {
	return c.writeTable(ctx, r, table, format, mode,
		protocol.WriteOperation_SaveTable_TABLE_SAVE_METHOD_SAVE_AS_TABLE, run)
}

// InsertInto adds a relation's rows to a table (Overwrite: replaces its rows), by the columns' places.
func (c *commands) InsertInto(ctx context.Context, r Relation, table string, mode SaveMode, run Run) error {
	return c.writeTable(ctx, r, table, "", mode, protocol.WriteOperation_SaveTable_TABLE_SAVE_METHOD_INSERT_INTO, run)
}

func (c *commands) writeTable(ctx context.Context, r Relation, table, format string, mode SaveMode,
	method protocol.WriteOperation_SaveTable_TableSaveMethod, run Run) error {
	return c.write(ctx, "write a table", r, format, mode, &protocol.WriteOperation{
		SaveType: &protocol.WriteOperation_Table{
			Table: &protocol.WriteOperation_SaveTable{TableName: table, SaveMethod: method}}}, run)
}

// SaveFiles writes a relation's rows as files of a directory, on storage of the server.
func (c *commands) SaveFiles(ctx context.Context, r Relation, dir, format string, mode SaveMode, run Run) error {
	return c.write(ctx, "write files", r, format, mode,
		&protocol.WriteOperation{SaveType: &protocol.WriteOperation_Path{Path: dir}}, run)
}

func (c *commands) write(ctx context.Context, what string, r Relation, format string, mode SaveMode,
	w *protocol.WriteOperation, run Run) error {
	if r.err != nil {
		return r.err
	}
	w.Input, w.Mode = r.r, mode.wire()
	if format != "" {
		w.Source = &format
	}
	return c.command(ctx, what, &protocol.Command{
		CommandType: &protocol.Command_WriteOperation{WriteOperation: w}}, run, ignore)
}

// Checkpoint computes a relation now and keeps its partitions on the executors' disks or in their memory, as level
// says. It drops the relation's plan, so derived relations are quick to analyse. They fail if an executor with its
// partitions is lost. Plans can use the checkpoint until Forget, or the session's end. It needs Spark 4.0.
func (c *commands) Checkpoint(ctx context.Context, r Relation, level StorageLevel, run Run) (Relation, error) {
	if r.err != nil {
		return Relation{}, r.err
	}
	wire := &protocol.CheckpointCommand{Relation: r.r, Local: true, Eager: true, StorageLevel: level.wire()}
	var result Relation
	err := c.command(ctx, "checkpoint a relation", &protocol.Command{
		CommandType: &protocol.Command_CheckpointCommand{CheckpointCommand: wire}}, run,
		func(answer *protocol.ExecutePlanResponse) error {
			if r := answer.GetCheckpointCommandResult(); r != nil {
				// It has no plan number: the server would keep using its analysis after Forget.
				result = Relation{r: &protocol.Relation{
					RelType: &protocol.Relation_CachedRemoteRelation{CachedRemoteRelation: r.Relation}}}
			}
			return nil
		})
	return result, err
}

// Forget drops a checkpoint.
func (c *commands) Forget(ctx context.Context, checkpoint Relation) error {
	wire := &protocol.RemoveCachedRemoteRelationCommand{Relation: checkpoint.r.GetCachedRemoteRelation()}
	return c.command(ctx, "forget a checkpoint", &protocol.Command{
		CommandType: &protocol.Command_RemoveCachedRemoteRelationCommand{RemoveCachedRemoteRelationCommand: wire}}, Run{},
		ignore)
}

func ignore(*protocol.ExecutePlanResponse) error { return nil }
