package waitlist

import "onrush/lua"

// units are the units of a sku at a point.
type units struct {
	left int64 // that can be offered
	may  int64 // that are not paid: as many may be left in time
}

// plan says to whom of the entries, which are in the order of the list, units are offered.
//
//   - Whoever comes first is offered all units that they wait for.
//   - While there are units, but too few for an entry, others go ahead of it: first those behind it who wait for fewer,
//     and then everybody. After within the units are kept for it, for as long, then others go ahead again, and so on.
//     So who waits for two is not passed for ever by those who want one, and no unit is kept for longer than within.
//   - Units are only kept for the first of these entries, and for none that can't get enough, since too many are paid.
//
// The list may be planned in pages: headed are the stock fields with an entry for which units may be kept, on this page
// or an earlier one.
//
// passed are the entries that are passed for the first time. kept are the stock fields of the units that only buyers
// who wait may have: none are left, or they are kept for an entry. Units of other stock fields that are left are for
// everybody.
func plan(
	entries []Entry, has map[string]units, headed map[string]bool, nowMS, withinMS int64,
) (offers, passed []Entry, kept map[string]bool) {
	kept = map[string]bool{}
	rest := map[string]int64{}
	for _, e := range entries {
		field := lua.StockField(e.SKU, e.Point)
		if _, known := rest[field]; !known {
			rest[field] = has[field].left
		}
		switch {
		case kept[field] || rest[field] <= 0:
			kept[field] = true
		case e.Quantity <= rest[field]:
			offers = append(offers, e)
			rest[field] -= e.Quantity
			kept[field] = rest[field] == 0
		default:
			if e.PassedMS == 0 {
				passed = append(passed, e)
			}
			if e.Quantity <= has[field].may && !headed[field] {
				headed[field] = true
				kept[field] = e.PassedMS > 0 && (nowMS-e.PassedMS)/withinMS%2 == 1
			}
		}
	}
	return offers, passed, kept
}
