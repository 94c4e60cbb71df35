package pipeline

import "slices"

// answersOf are the answers of a condition. A kind of condition that this package does not have may give any.
func answersOf(c Condition, in *Schema, columns []Extent) answers {
	switch c := c.(type) {
	case BooleanCondition:
		return c.answers(in, columns)
	case *BooleanCondition:
		return c.answers(in, columns)
	case cellCondition:
		if cell, err := c.bindCell(in); err == nil {
			return cell.answers(columns[cell.at])
		}
	}
	return anyAnswer
}

// answers puts those of the conditions together, which are asked in their order.
func (c BooleanCondition) answers(in *Schema, columns []Extent) answers {
	if c.check() != nil {
		return anyAnswer
	}
	of := make([]answers, len(c.Conditions))
	for i, part := range c.Conditions {
		of[i] = answersOf(part, in, columns)
	}
	switch c.Type {
	case Not:
		return of[0].opposite()
	case Xor:
		return exclusive(of[0], of[1])
	case Or: // the opposite of all opposites together
		for i := range of {
			of[i] = of[i].opposite()
		}
		return allOf(of).opposite()
	}
	return allOf(of)
}

func (a answers) opposite() answers {
	return a&mayFail | a&mayHold<<1 | a&mayNotHold>>1
}

// allOf are the answers of conditions that are asked until one does not hold.
func allOf(of []answers) answers {
	all := mayHold
	for _, a := range of {
		if all&mayHold == 0 {
			break
		}
		all = all&^mayHold | a
	}
	return all
}

// exclusive are the answers of exactly one of two conditions.
func exclusive(a, b answers) answers {
	out := a & mayFail
	if a&^mayFail != 0 {
		out |= b & mayFail
	}
	both, none := a&b&mayHold != 0, a&b&mayNotHold != 0
	if both || none {
		out |= mayNotHold
	}
	if a&mayHold != 0 && b&mayNotHold != 0 || a&mayNotHold != 0 && b&mayHold != 0 {
		out |= mayHold
	}
	return out
}

// eitherAnswer is for conditions on texts or values of any kind, which are never an error.
func eitherAnswer(Value, Value) answers { return mayHold | mayNotHold }

// betweenNumbers are the answers for values that of converts to numbers, where it keeps their order.
func betweenNumbers[T number](of func(Value) (T, error), between func(low, high T) answers) func(Value,
	Value) answers {
	return func(low, high Value) answers {
		l, err := of(low)
		if err != nil {
			return anyAnswer
		}
		h, err := of(high)
		if err != nil || !(l <= h) {
			return anyAnswer
		}
		switch low.kind {
		case DoubleKind, FloatKind:
		case IntegerKind, LongKind, BooleanKind:
			if _, short := any(l).(int32); short && (low.integer() != int64(l) || high.integer() != int64(h)) {
				return anyAnswer // bits are cut off
			}
		default:
			return anyAnswer
		}
		return between(l, h)
	}
}

// answersBetween are the answers of a comparison for the numbers from low to high, which test gives for one.
func answersBetween[T number](c comparing[T], test func(T) bool, low, high T) (out answers) {
	switch c.Op {
	case LessThan, LessOrEqual, GreaterThan, GreaterOrEqual:
		return answer(test(low), nil) | answer(test(high), nil)
	case Equal, NotEqual:
		out = answer(c.Op == Equal, nil)
		switch {
		case !(low <= c.Value && c.Value <= high):
			return out.opposite()
		case low == high:
			return out
		}
		return mayHold | mayNotHold
	}
	if low == high && low != 0 { // 0.0 and -0.0 differ in a set
		return answer(test(low), nil)
	}
	if slices.ContainsFunc(c.Set, func(x T) bool { return low <= x && x <= high }) {
		return mayHold | mayNotHold
	}
	return answer(c.Op == NotInSet, nil)
}

// betweenTexts are the answers for texts in the order of their bytes, which hold within a set or outside of it.
func betweenTexts(set []string, within bool) func(Value, Value) answers {
	return func(low, high Value) answers {
		if low.kind != TextKind || low.text > high.text {
			return anyAnswer
		}
		if slices.ContainsFunc(set, func(s string) bool { return low.text <= s && s <= high.text }) {
			return mayHold | mayNotHold
		}
		return answer(!within, nil)
	}
}
