package web

import (
	"math"
	"reflect"
	"strconv"
	"strings"
)

// bounds are what a number of a body may be, as its tag says. An empty bound doesn't exist.
type bounds struct {
	also        string // a number that is allowed outside of the bounds
	least, most string
}

// String returns the bounds as a text that follows "must be", and "" if there are none.
func (b bounds) String() string {
	text := ""
	switch {
	case b.least != "" && b.most != "":
		text = "from " + b.least + " to " + b.most
	case b.least != "":
		text = "at least " + b.least
	case b.most != "":
		text = "at most " + b.most
	}
	if b.also != "" && text != "" {
		text = b.also + " or " + text
	}
	return text
}

// boundsOf returns the bounds of the number at a path in a type. It returns no bounds for a field that is no number,
// and for a number whose tag bounds it by other words than min, gte, max, lte and eq.
func boundsOf(path []string, t reflect.Type) bounds {
	tag := ""
	for _, token := range path {
		t = indirect(t)
		switch t.Kind() { // the others have nothing in them
		case reflect.Struct:
			field, ok := member(t, token)
			if !ok {
				return bounds{}
			}
			t, tag = field.Type, field.Tag.Get("validate")
		case reflect.Map, reflect.Slice, reflect.Array:
			t = t.Elem()
			_, tag, _ = strings.Cut(tag, "dive")
		default:
			return bounds{}
		}
	}
	if kind := indirect(t).Kind(); kind < reflect.Int || kind > reflect.Float64 {
		return bounds{}
	}
	var b bounds
	for rule := range strings.FieldsFuncSeq(tag, func(r rune) bool { return r == ',' || r == '|' }) {
		switch name, value, _ := strings.Cut(rule, "="); name {
		case "min", "gte":
			b.least = value
		case "max", "lte":
			b.most = value
		case "eq":
			b.also = value
		}
	}
	return b
}

// tokens splits a path such as skus[0].price. The name of a map's member must not have a dot or a bracket.
func tokens(path string) []string {
	return strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), ".")
}

// excludeZero reports whether 0 is too low.
func (b bounds) excludeZero() bool {
	least, err := strconv.ParseFloat(b.least, 64)
	return err == nil && least > 0
}

// sized adds the bound of its type that a number has exceeded, the least value if it is negative, unless the number has
// such a bound of its own.
func (b bounds) sized(t reflect.Type, negative bool) bounds {
	t = indirect(t)
	switch {
	case t.Kind() < reflect.Int || t.Kind() > reflect.Int64:
	case negative && b.least == "":
		b.least = strconv.FormatInt(math.MinInt64>>(64-t.Bits()), 10)
	case !negative && b.most == "":
		b.most = strconv.FormatInt(math.MaxInt64>>(64-t.Bits()), 10)
	}
	return b
}

// indirect returns what a type points to.
func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
