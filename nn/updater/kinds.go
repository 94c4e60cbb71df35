package updater

// MomentumState returns the index of an updater's state array that is a momentum, a decaying sum or mean of the
// gradients. It is -1 for updaters without a momentum, and for those of other packages.
func MomentumState(u Updater) int {
	switch u := u.(type) {
	case Momentum, Nesterovs, Adam, AdaMax, AdaBelief, AMSGrad, Nadam, KerasNadam, KerasAdaMax, Lion, Lamb,
		Muon, orthogonal:
		return 0
	case MomentumRmsProp:
		if u.Momentum != 0 {
			return 1
		}
	}
	return -1
}

// Normalizes reports whether an updater divides gradients by their magnitude, so that its steps do not shrink with
// them. It is false for updaters of other packages.
func Normalizes(u Updater) bool {
	switch u.(type) {
	case Adam, AdaMax, AdaBelief, AMSGrad, Nadam, LazyAdam, RmsProp, MomentumRmsProp, AdaGrad, AdaDelta, KerasNadam,
		KerasAdaMax, KerasAdaGrad, KerasAdaDelta, Lion, Lamb, Ftrl, Adafactor, factored, Muon, orthogonal:
		return true
	}
	return false
}
