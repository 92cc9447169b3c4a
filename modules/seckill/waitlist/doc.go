// Package waitlist has the waiting lists of sales: buyers wait for units of a sku at a stock point that are sold out,
// and units that come back are offered to them in the order in which they joined.
//
//	join ── waits ── offered ── submit within offer_within_s ── an order
//	          │         └─ not in time: the units go to the next, and the buyer may join again
//	          └─ leave
//
// SQL has the list, one row for each buyer and sku. Redis has what the scripts must know: which units others can't buy,
// since somebody waits for them, and the units that are offered, which are not in the stock. An offer is in Redis
// first, then in SQL together with its event, and only then its buyer hears of it. What a crash leaves between the two
// steps, the next run of the Offerer completes. A load of the sale fills Redis from SQL; an offer that SQL doesn't have
// yet is lost with its load, and its units are in the stock again.
//
// plan has the rule by which units are offered.
package waitlist
