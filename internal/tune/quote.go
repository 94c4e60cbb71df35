package tune

import "strings"

// Quote formats a command line for a POSIX shell.
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

// Map returns the settings by name.
func (s Settings) Map() map[string]any {
	m := map[string]any{}
	for _, one := range s {
		m[one.Name] = one.Value
	}
	return m
}
