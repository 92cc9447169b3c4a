// Package delivery sends events to the endpoints that operators register, as Standard Webhooks
// (https://www.standardwebhooks.com).
//
//	feed ── batch after the endpoint's cursor ──▶ POST ──▶ one transaction: log rows, cursor
//	                                               │ failed
//	                                               ▼
//	                                     waiting ── retries for three days ──▶ delivered or failed
//
// An event is delivered at least once: the cursor and the log change together after the requests, so a crash repeats
// a batch at most. Events of one subject (an order, a payment, an activity) are sent one after the other; while one of
// them fails, the later ones wait behind it, and other subjects go on. One instance at a time works on an endpoint: it
// has a lease in SQL. The lease only avoids repeated work; the compare-and-set of the cursor makes it correct.
//
// Each endpoint has bounds for its requests in flight, their duration, and its waiting events. If too many events wait,
// its cursor stops until some were delivered. Each endpoint has its own goroutine, so one that hangs delays no other.
package delivery
