// Package settings has what operators change while the program runs, for all instances: rate limits, the level of the
// log, what instances turn off under load, and a stop of all sales.
//
// The settings are one row in SQL, with a copy in Redis, so that operators can stop all sales while SQL is unavailable
// and Redis places orders. A change goes to SQL, and then to the copy. If SQL doesn't answer within a second, the
// change is added to the copy as one that waits for SQL. Each instance reads both twice a second and applies the newer
// one with the changes that wait; requests read what it applies without a store. While one store is unavailable, what
// was last read from it counts.
//
//	change                          each instance, twice a second
//	  │                                        ▲
//	  ├── SQL answers ──▶ row in SQL ──────────┤ the newer one
//	  │                    │    ▲              │ and the changes that wait
//	  │               copy │    │ settle       │
//	  │                    ▼    │              │
//	  └── SQL is away ──▶ copy in Redis ───────┘
//
// As soon as SQL answers, an instance settles: in one transaction, it makes the changes that wait in the row, and
// writes them to the operators' log with the operator and the time of the request. An entry that the log has already
// is not made again, so a crash, a commit of unknown outcome or two instances that settle at once do no harm.
//
// Which state is newer follows from the time of its last change, by the clock that all instances share. A change that
// waits and is older than the row only goes to the log. So a store that was restored to an older state gets what the
// other one has, and a stop that was ended doesn't come back. If both were restored, the newer one counts.
package settings
