package spark

import "context"

// factoryMode is the setting that decides whether Spark compiles queries. Executors compile each query again, which
// takes 20 ms for each stage, and makes the work on a row several times as fast.
const factoryMode = "spark.sql.codegen.factoryMode"

const (
	interpreting = "NO_CODEGEN"
	compiling    = "FALLBACK"
)

// compileRows is the number of rows from which compiling pays off.
const compileRows = 50_000

// compile makes Spark compile the queries of this session until the job ends. It is for queries with many rows.
func (j *job) compile() error {
	if j.compiles {
		return nil
	}
	err := j.carrier.compile(j.ctx, 1)
	j.compiles = err == nil
	return err
}

// interpret ends compile. If the server doesn't answer, queries cost a little more.
func (j *job) interpret() {
	if !j.compiles {
		return
	}
	j.compiles = false
	ctx, cancel := cleanup(j.ctx)
	defer cancel()
	if err := j.carrier.compile(ctx, -1); err != nil {
		j.engine.options.Log.Debug("Spark goes on compiling queries", "master", j.engine.Master(), "error", err)
	}
}

// compile counts the jobs that need compiled queries. Meanwhile, queries of other jobs of the session are compiled,
// too.
func (c *carrier) compile(ctx context.Context, more int) (err error) {
	c.compiling.Lock()
	defer c.compiling.Unlock()
	before, after := c.compilers, c.compilers+more
	mode := compiling
	if after == 0 {
		mode = interpreting
	}
	if before == 0 || after == 0 {
		err = c.session.Set(ctx, map[string]string{factoryMode: mode})
	}
	if err == nil || more < 0 {
		c.compilers = after
	}
	return err
}
