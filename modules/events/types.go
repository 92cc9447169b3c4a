package events

import (
	"slices"
	"strings"

	"onrush/modules/journal"
	"onrush/modules/problem"
)

// ParseTypes parses the types of events that a client selects, separated by commas; "" selects all and returns nil.
// An unknown or repeated one is invalid_request; field names the input.
func ParseTypes(field, text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	known := journal.Types()
	if strings.Count(text, ",") >= len(known) {
		return nil, problem.Invalid(field, "must not have more than %d types", len(known))
	}
	selected := strings.Split(text, ",")
	for i, name := range selected {
		if !slices.Contains(known, name) {
			return nil, problem.Invalid(field, "must be types of events, separated by commas: %s",
				strings.Join(known, ", "))
		}
		if slices.Contains(selected[:i], name) {
			return nil, problem.Invalid(field, "must not have a type twice")
		}
	}
	return selected, nil
}
