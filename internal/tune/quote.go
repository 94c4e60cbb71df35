package tune

import "strings"

// Quote writes a command line for a POSIX shell.
func Quote(args []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"
	quoted := make([]string, len(args))
	for i, a := range args {
		if a == "" || strings.Trim(a, plain) != "" || strings.ContainsFunc(a, func(r rune) bool {
			return !strings.ContainsRune(plain, r)
		}) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		quoted[i] = a
	}
	return strings.Join(quoted, " ")
}

// Map has the settings by their names.
func (s Settings) Map() map[string]any {
	m := map[string]any{}
	for _, one := range s {
		m[one.Name] = one.Value
	}
	return m
}
