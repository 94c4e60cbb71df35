package updater

// ByName returns the updater of a class, by the last part of its name in any case of letters ("adam", "AdaGrad"), with
// its default settings.
func ByName(name string) (Updater, error) { return Classes.ByShortName(name) }

// Names lists the names that ByName knows, in order.
func Names() []string { return Classes.ShortNames() }
