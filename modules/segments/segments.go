package segments

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unique"
)

const (
	// MaxOfBuyer is how many segments a buyer may be in.
	MaxOfBuyer = 32
	// MaxOfSale is how many segments a sale may be for.
	MaxOfSale = 16
	// maxName is the length of the longest name.
	maxName = 32
)

// Rule is the rule for the name of a segment in an error detail, after the field's name.
const Rule = "must be 1 to 32 lower-case letters a to z, digits, hyphens or underscores"

// Valid reports whether a text is the name of a segment: [a-z0-9_-]{1,32}.
func Valid(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// Set is a set of names: sorted, each once, with a space between two. The zero value is the empty set. As JSON it is a
// list; SQL has it as it is.
type Set string

// Of returns the set of some names. Names that are not valid are an error, and so are more than MaxOfBuyer names.
func Of(names []string) (Set, error) {
	if len(names) > MaxOfBuyer {
		return "", fmt.Errorf("there are %d segments; at most %d are allowed", len(names), MaxOfBuyer)
	}
	for _, name := range names {
		if !Valid(name) {
			return "", errors.New("the name of a segment " + Rule)
		}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	// Many buyers are in the same segments; they share one text.
	return Set(unique.Make(strings.Join(sorted, " ")).Value()), nil
}

// Names returns the names in their order.
func (s Set) Names() []string { return strings.Fields(string(s)) }

// Meets reports whether two sets have a name in common. It doesn't allocate.
func (s Set) Meets(other Set) bool {
	mine, left := cut(s)
	theirs, right := cut(other)
	for mine != "" && theirs != "" {
		switch strings.Compare(mine, theirs) {
		case 0:
			return true
		case -1:
			mine, left = cut(left)
		default:
			theirs, right = cut(right)
		}
	}
	return false
}

// cut returns the first name and the names after it.
func cut(s Set) (name string, rest Set) {
	name, after, _ := strings.Cut(string(s), " ")
	return name, Set(after)
}

// MarshalJSON writes a list of names.
func (s Set) MarshalJSON() ([]byte, error) { return json.Marshal(s.Names()) }

// Claim is the set that a claim of a token names. A claim of another form names none: it may be a platform's own, which
// has another meaning.
type Claim struct{ Set }

// UnmarshalJSON reads any value.
func (c *Claim) UnmarshalJSON(data []byte) error {
	if c.Set.UnmarshalJSON(data) != nil {
		c.Set = ""
	}
	return nil
}

// UnmarshalJSON reads a list of names, or the one name that a text is. null is the empty set.
func (s *Set) UnmarshalJSON(data []byte) (err error) {
	var names []string
	if len(data) > 0 && data[0] == '"' {
		names = make([]string, 1)
		err = json.Unmarshal(data, &names[0])
	} else {
		var listed []*string // a null among them is no name
		err = json.Unmarshal(data, &listed)
		for _, name := range listed {
			if name == nil {
				return errors.New("segments: one of the list is null")
			}
			names = append(names, *name)
		}
	}
	if err != nil {
		return errors.New("segments: they are neither a list of names nor a name")
	}
	set, err := Of(names)
	if err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	*s = set
	return nil
}
