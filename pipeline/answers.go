package pipeline

import "slices"

// answersOf returns the possible answers of a condition. For kinds of conditions from other packages, all answers are
// possible.
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

// answers returns the possible answers of the conditions together, evaluated in order.
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
	case Or: // the negated And of the negated conditions
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

// allOf returns the answers of conditions that are evaluated until one does not hold.
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

// exclusive returns the answers of the exclusive or of two conditions.
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

// eitherAnswer is for conditions on texts or on values of any kind. They never fail.
func eitherAnswer(Value, Value) answers { return mayHold | mayNotHold }

// betweenNumbers returns the answers for values that of converts to numbers, if it keeps their order.
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
				return anyAnswer // bits are lost
			}
		default:
			return anyAnswer
		}
		return between(l, h)
	}
}

// answersBetween returns the answers of a comparison for the numbers from low to high. test evaluates it for one
// number.
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
	if low == high && low != 0 { // sets distinguish 0.0 and -0.0
		return answer(test(low), nil)
	}
	if slices.ContainsFunc(c.Set, func(x T) bool { return low <= x && x <= high }) {
		return mayHold | mayNotHold
	}
	return answer(c.Op == NotInSet, nil)
}

// betweenTexts returns the answers for texts in the order of their bytes. The condition holds within a set, or outside
// of it.
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
