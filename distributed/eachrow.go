package distributed

import "github.com/dl4go/dl4go/engine"

// eachRow makes a row of each of a partition's, which has the index i in it. An error of f is permanent: a row does not
// get better.
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
