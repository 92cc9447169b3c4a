// Package upgrade holds what version 1.0 promises to those who upgrade: docs/operating/upgrading.md is the list.
//
// The folder 1.0 has the state of a shop of that version, and lists of what its interfaces had. The state was made by a
// run of the program on embedded stores, with a clock and ids that are the same in each run:
//
//	schema.sql    the tables, as SQLite and MySQL read them
//	data.sql      the rows
//	redis.jsonl   the keys of Redis with their types and values, without their prefix
//	answers.jsonl what the routes answered at that moment, to whom
//	api.txt, settings.txt, metrics.txt, columns.txt, redis.txt, codes.txt, go.txt
//
// A released folder is final, and what was added since is promised by the next version. When it is released, it gets a
// folder of its own, which this makes:
//
//	ONRUSH_TEST_FREEZE=1.1 go test -count=1 -run "Freeze|OlderVersion" ./test/upgrade ./app
package upgrade
