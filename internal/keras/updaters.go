package keras

import "github.com/dl4go/dl4go/nn/updater"

// readOptimizer makes the updater.
func readOptimizer(b *builder, class string, config settings) {
	t := b.training
	t.kind = plain(class)
	switch t.kind {
	case "sgd":
		rate, momentum := readRate(b, config, 0.01), config.float("momentum", 0)
		t.slots = 1
		switch {
		case momentum == 0:
			t.slots = 0
			u := updater.NewSgd()
			u.LearningRate = rate
			t.updater = u
		case config.bool("nesterov", false):
			u := updater.NewNesterovs()
			u.LearningRate, u.Momentum = rate, momentum
			t.updater = u
		default:
			u := updater.NewMomentum()
			u.LearningRate, u.Momentum = rate, momentum
			t.updater = u
		}
	case "adam", "adamw":
		readAdam(b, config)
	case "rmsprop":
		readRmsProp(b, config)
	case "adagrad", "adadelta", "nadam", "adamax", "lion":
		readRare(b, config)
	case "ftrl", "lamb":
		readWeighted(b, config)
	case "adafactor":
		readAdafactor(b, config)
	case "muon":
		readMuon(b, config)
	default:
		b.cannot("the optimizer %s has no counterpart", shown(class))
	}
	if u := t.updater; u.Validate() != nil {
		refuse("%s: %v", config.where, u.Validate())
	}
	usual := 0.0
	if t.kind == "adamw" {
		usual = 0.004
	}
	t.decay = config.float("weight_decay", usual)
	if t.kind == "muon" {
		t.decay = config.float("adam_weight_decay", 0)
	}
	if _, weighted := t.updater.(updater.Weighted); weighted && t.decay != 0 {
		b.cannot("the optimizer %s has a weight_decay", t.kind)
	}
	if config.float("decay", 0) != 0 {
		b.cannot("the optimizer has a decay of the learning rate")
	}
}

// readAdam makes Adam, AdamW or AMSGrad.
func readAdam(b *builder, config settings) {
	t := b.training
	u := updater.NewAdam()
	u.LearningRate, u.Beta1, u.Beta2 = readRate(b, config, 1e-3), config.float("beta_1", 0.9), config.float("beta_2",
		0.999)
	u.Epsilon = config.float("epsilon", 1e-7)
	t.updater, t.slots = u, 2
	if config.bool("amsgrad", false) {
		a := updater.NewAMSGrad()
		a.LearningRate, a.Beta1, a.Beta2, a.Epsilon = u.LearningRate, u.Beta1, u.Beta2, u.Epsilon
		t.updater, t.slots = a, 3
	}
}

// readRmsProp makes RMSprop. Its ε is under the root since Keras 2.3.
func readRmsProp(b *builder, config settings) {
	t := b.training
	rate, rho, eps := readRate(b, config, 1e-3), config.float("rho", 0.9), config.float("epsilon", 1e-7)
	if !b.a.since(2, 3) {
		u := updater.NewRmsProp()
		u.LearningRate, u.RmsDecay, u.Epsilon = rate, rho, eps
		t.updater, t.slots = u, 1
		return
	}
	u := updater.NewMomentumRmsProp()
	u.LearningRate, u.RmsDecay, u.Epsilon = rate, rho, eps
	u.Momentum, u.Centered = config.float("momentum", 0), config.bool("centered", false)
	t.updater, t.slots = u, u.States()
}

// isOld reports whether an optimizer is of Keras before 2.11, whose formula may be another.
func isOld(b *builder, config settings) bool {
	_, since211 := config.m["weight_decay"]
	if !since211 {
		b.cannot("the optimizer %s is of Keras before 2.11, whose formula is another", b.training.kind)
	}
	return !since211
}

// readRare makes the updaters that have one form in Keras 3 and 2.11, and others in older versions.
func readRare(b *builder, config settings) {
	t := b.training
	if isOld(b, config) {
		return
	}
	rate, eps := readRate(b, config, 1e-3), config.float("epsilon", 1e-7)
	beta1, beta2 := config.float("beta_1", 0.9), config.float("beta_2", 0.999)
	t.slots = 2
	switch t.kind {
	case "adagrad":
		u := updater.NewKerasAdaGrad()
		u.LearningRate, u.Initial, u.Epsilon = rate, config.float("initial_accumulator_value", 0.1), eps
		t.updater, t.slots = u, 1
	case "adadelta":
		u := updater.NewKerasAdaDelta()
		u.LearningRate, u.Rho, u.Epsilon = rate, config.float("rho", 0.95), eps
		t.updater = u
	case "nadam":
		u := updater.NewKerasNadam()
		u.LearningRate, u.Beta1, u.Beta2, u.Epsilon = rate, beta1, beta2, eps
		t.updater = u
	case "adamax":
		u := updater.NewKerasAdaMax()
		u.LearningRate, u.Beta1, u.Beta2, u.Epsilon = rate, beta1, beta2, eps
		t.updater = u
	case "lion":
		u := updater.NewLion()
		u.LearningRate, u.Beta1, u.Beta2 = rate, beta1, config.float("beta_2", 0.99)
		t.updater, t.slots = u, 1
	}
}

// readWeighted makes the updaters whose steps depend on the weights.
func readWeighted(b *builder, config settings) {
	t := b.training
	if isOld(b, config) {
		return
	}
	rate := readRate(b, config, 1e-3)
	t.slots = 2
	if t.kind == "lamb" {
		u := updater.NewLamb()
		u.LearningRate, u.Epsilon = rate, config.float("epsilon", 1e-7)
		u.Beta1, u.Beta2 = config.float("beta_1", 0.9), config.float("beta_2", 0.999)
		t.updater = u
		return
	}
	u := updater.NewFtrl()
	u.LearningRate, u.Power = rate, config.float("learning_rate_power", -0.5)
	u.Initial, u.Beta = config.float("initial_accumulator_value", 0.1), config.float("beta", 0)
	u.L1, u.L2 = config.float("l1_regularization_strength", 0), config.float("l2_regularization_strength", 0)
	u.Shrinkage = config.float("l2_shrinkage_regularization_strength", 0)
	t.updater = u
}
