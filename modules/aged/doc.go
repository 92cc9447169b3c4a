// Package aged keeps copies of values that are slow to read. A caller says how old a copy may be; if it is older, the
// caller waits for a read.
//
// The age of a copy counts from the beginning of its read, since the value may have changed at any time after that. A
// read answers all callers who began to wait before it ended, even if it took longer than the age that they allow: so
// callers never wait for several reads in a row, however slow a read is.
//
//	caller A  ──▶ read begins ─────────────────▶ read ends
//	caller B        ──▶ waits for the same read ─▶ both have its value
//	caller C                                        ──▶ gets the copy, or begins the next read
//
// There are four kinds:
//
//   - A Copy has one value. Each caller says how old it may be and how it is read; 0 makes a read begin after the call.
//   - A Cache has a Copy for each of many keys, each of which has its own read.
//   - A Keyed has values by keys that one query can read together: callers of different keys share it, at most two
//     reads run, and it also remembers for a second which keys don't exist. It returns copies while SQL is unavailable.
//     NewCrowd makes one for very many keys, each of which is used a few times.
//   - A Follower reads in the background what every request needs, such as the settings, so that none waits.
package aged
