// Package settings has what operators change while the program runs, for all instances: rate limits, the level of the
// log, what instances turn off under load, and a stop of all sales.
//
// The settings are one row in SQL, with a copy in Redis, so that operators can stop all sales while SQL is unavailable
// and Redis places orders. A change goes to SQL, and then to the copy. If SQL doesn't answer within a second, the
// change is added to the copy as one that waits for SQL. Each instance reads both twice a second, and remembers the
// newest settings that it has seen; requests read what it remembers without a store.
//
//	change                          each instance, twice a second
//	  │                                        ▲ │
//	  ├── SQL answers ──▶ row in SQL ──────────┤ │ remembers the newest of each setting,
//	  │                    │    ▲              │ │ and gives it to a store that has lost it
//	  │               copy │    │ settle       │ │
//	  │                    ▼    │              │ ▼
//	  └── SQL is away ──▶ copy in Redis ───────┘
//
// As soon as SQL answers, an instance settles: in one transaction, it makes the changes that wait in the row, and
// writes them to the operators' log with the operator and the time of the request. An entry that the log has already
// is not made again, so a crash, a commit of unknown outcome or two instances that settle at once do no harm.
//
// Each setting has the time of its last change, by the clock that all instances share, and the newer one counts,
// wherever it is: so a store that was restored to an older state, or replaced by a replica that lacks a change, gets
// what the others have; a stop that was answered doesn't end and one that was ended doesn't come back; and a change of
// one setting undoes none of another. A change that waits and is older than the row's only goes to the log.
//
// An answer says whether a restart of all instances may still undo the change, since only one store has it; see
// Stored.Uncertain. An instance that has just started and could read neither the row nor a copy doesn't know whether
// sales are stopped, and refuses what a stop refuses.
package settings
