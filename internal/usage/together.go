package usage

// Apart refuses a flag together with any of the others.
func Apart(given func(string) bool, flag string, others ...string) error {
	for _, name := range others {
		if given(flag) && given(name) {
			return Errorf("--%s and --%s can't be given together", flag, name)
		}
	}
	return nil
}

// GoesWith refuses flags that were given although they need another one, which was not.
func GoesWith(given func(string) bool, need string, flags ...string) error {
	for _, name := range flags {
		if given(name) {
			return Errorf("--%s goes with %s", name, need)
		}
	}
	return nil
}

// NoEffect refuses given flags that are about something else than the command does by another flag.
func NoEffect(given func(string) bool, about, with string, flags ...string) error {
	for _, name := range flags {
		if given(name) {
			return Errorf("--%s is about %s: it has no effect with %s", name, about, with)
		}
	}
	return nil
}
