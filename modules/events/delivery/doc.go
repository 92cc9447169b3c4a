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
// has a lease in SQL. The lease only avoids repeated work; what keeps the cursor right is its compare-and-set.
//
// An endpoint has bounds of its own: requests in flight, the duration of each, and events that wait. At the last bound
// its cursor stops until some were delivered. Each endpoint has its own goroutine, so one that hangs delays no other.
package delivery
