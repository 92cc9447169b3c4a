// Package numbers makes the numbers of the orders of sales, without a round trip per order. No two orders get the same
// number, whichever instances place them, and whatever becomes of Redis.
//
// A number is a second, a lane, and 22 bits of the lane's sequence, permuted:
//
//	position p of the lane's sequence ──permute by the key of the site──▶ 22 bits
//	number = second now │ lane │ 22 bits
//
// So two orders have one number only if they have the same lane, second and position. The protocol makes positions
// differ:
//
//  1. The permutation's key is the site's (package site): made once, kept in SQL, the same in all instances for ever.
//     No secret that is rotated is part of it.
//  2. A lane's positions are leased in segments, from a counter in Redis that only grows (lua/lease_numbers.lua). Of
//     one master, no two leases overlap.
//  3. A master that gives its first lease, which the id of its replication tells, skips `skip` positions. It may lack
//     the last leases of the master before it: it is a replica that was behind, or it was started from an older copy.
//     Those leases are fewer than skip, so the new ones don't meet them. An instance that has not noticed the failover
//     may use up its lease: nobody else gets it. A former master that goes on gives leases below the skip. One that
//     doesn't tell its id gives none.
//  4. Each lease begins at least where the last lease of its instance ended, or skip positions behind it if Redis has
//     no counter. So a Redis that forgot the counter (FLUSHALL) doesn't give again what an instance with orders has.
//  5. An instance uses a lease for at most leaseFor. Meanwhile the counter can't come around to it: that takes four
//     million orders of a lane. The skip is the golden section of the positions, so even a dozen failovers within that
//     time skip to different ones.
//  6. Where an order waits for replicas (ONRUSH_REDIS_REPLICAS), a lease waits for as many before its first number.
//     This needs nothing of 3: a replica that is promoted has the counter.
//
// SQL takes no part, so numbers are made while it is unavailable; an instance that has never read the site makes none.
// The second comes from the clock of the sales. If that is set back, seconds come again, but positions do not.
//
// These rules may fail, for example for two instances that lost their memory together with Redis, or for an instance of
// a version that leases otherwise. Then two defences hold. decrement_stock.lua refuses a number that its lane has in
// the queue or that the sale holds, and the placer makes another number. A mover that finds another order with the
// number in SQL gives the later order a new number (order/queue/renumber.go).
package numbers
