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
package aged
