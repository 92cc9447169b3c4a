// Package reached counts how often the program takes a path that it rarely takes: where it repairs, retries, refuses
// what is stale, or goes on with less than usual. A test that makes faults happen learns from the counts which of
// these paths it never took, and so says nothing about.
//
// A package declares its paths in its file reached.go, each with a name in plain words that begins with the package:
//
//	var staleAck = reached.At("queue: a batch was removed by another mover")
//
// and marks each where it is taken:
//
//	if acked.Seen < len(b.waiting) {
//		staleAck.Mark()
//		return nil
//	}
//
// A mark is one atomic addition. It has no effect on what the program does: nothing but tests reads the counts, which
// are of one process and start at 0. What operators need to know has a metric or a line in the log besides.
//
// What belongs here is a path that an ordinary sale without a fault doesn't take. An order that is placed, stored and
// paid passes no mark. docs/guarantees.md lists all paths with what reaches each of them.
package reached
