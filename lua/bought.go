package lua

import (
	"strings"

	"onrush/modules/ids"
)

// CountedAll counts all units that a user bought in an activity, under the limit of the activity.
const CountedAll = "a"

// CountedSKU counts the units of one sku that a user bought, under the limit of that sku.
func CountedSKU(sku string) string { return "s:" + sku }

// BoughtField returns the field of the bought hash for a user; counted is CountedAll or a value of
// CountedSKU.
func BoughtField(counted, user string) string {
	if counted == CountedAll {
		return counted + ":" + user
	}
	return ids.Join(counted, user)
}

// ParseBoughtField returns the counted and the user that a field of the bought hash was made from by BoughtField.
// ok is false if the field can't be read.
func ParseBoughtField(field string) (counted, user string, ok bool) {
	counted, user, ok = strings.Cut(field, ":")
	if ok && counted == "s" {
		var parts []string
		if parts, ok = ids.Split(user, 2); ok {
			counted, user = CountedSKU(parts[0]), parts[1]
		}
	}
	return counted, user, ok && user != ""
}
