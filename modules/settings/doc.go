// Package settings has what operators change while the program runs, for all instances: rate limits, the level of the
// log, what instances turn off under load, and a stop of all sales.
//
// The settings are one row in SQL, with a copy in Redis. A change goes to SQL, and then to the copy. While SQL is
// unavailable, operators can change one setting, sales_stopped, since Redis still places orders: if SQL doesn't answer
// within a second, a stop or its end is added to the copy as a change that waits for SQL. Each instance reads both
// stores twice a second, and remembers the newest settings that it has seen; requests read these without a store.
//
//	change                          each instance, twice a second
//	  │                                        ▲ │
//	  ├── SQL answers ──▶ row in SQL ──────────┤ │ remembers the newest settings,
//	  │                    │    ▲              │ │ and gives them to a store that has lost them
//	  │               copy │    │ settle       │ │
//	  │                    ▼    │              │ ▼
//	  └── SQL is away ──▶ copy in Redis ───────┘
//	      (only stops)
//
// As soon as SQL answers, an instance settles: in one transaction, it makes the changes that wait in the row, and
// writes them to the operators' log with the operator and the time of the request. An entry that the log has already
// is not made again, so a crash, a commit of unknown outcome or two instances that settle at once do no harm.
//
// The later settings count, wherever they are, by the clock that all instances share: so a store that was restored to
// an older state, or replaced by a replica that lacks a change, gets what the others have. Each setting has the time of
// its last change, and a stop counts by its own: one that was answered doesn't end and one that was ended doesn't come
// back, whatever else was changed meanwhile. A stop that waits and is older than the row's only goes to the log.
//
// An answer says whether a restart of all instances may still undo the change, since only one store has it; see
// Stored.Uncertain. An instance that has just started and could read neither the row nor a copy doesn't know whether
// sales are stopped, and refuses what a stop refuses.
package settings
