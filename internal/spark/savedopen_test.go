package spark

import "testing"

// TestSavedPartitions checks that implausible partition numbers in foreign files are refused.
func TestSavedPartitions(t *testing.T) {
	for _, test := range []struct {
		found []string
		want  int
	}{
		{[]string{"0", "2", "3"}, 3},
		{[]string{"0", "2", "40"}, 3}, // the count includes log lines
		{[]string{"", "", "0"}, -1},
		{[]string{"0", "2147483647", "3"}, -1},
		{[]string{"0", "9223372036854775807", "3"}, -1},
		{[]string{"-5", "2", "3"}, -1},
		{[]string{"-5", "-1", "3"}, -1},
		{[]string{"0", "many", "3"}, -1},
		{[]string{"0", "99999999999999999999", "3"}, -1},
	} {
		if n, err := savedPartitions(test.found); (err != nil) != (test.want < 0) || err == nil && n != test.want {
			t.Errorf("%v: %d, error %v, wanted %d", test.found, n, err, test.want)
		}
	}
}
