package distributed

import "github.com/dl4go/dl4go/engine"

// eachRow writes a row for each row of a partition: the result of f for row i. An error of f is permanent, as another
// attempt would read the same row.
func eachRow(in engine.Rows, out engine.Writer, f func(i int, row []byte) ([]byte, error)) error {
	i := 0
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		made, err := f(i, row.Bytes)
		if err != nil {
			return engine.Permanent(err)
		}
		i++
		if err := out.Write(engine.Unindexed(made)); err != nil {
			return err
		}
	}
	return nil
}
