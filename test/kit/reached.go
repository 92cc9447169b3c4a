package kit

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"onrush/modules/reached"
)

// reportReached adds to the file that ONRUSH_TEST_REACHED names how often this test program took each of the program's
// rare paths, a line each, such as "3 queue: an entry of a queue can't be read". So
// ONRUSH_TEST_REACHED=/tmp/reached go test -run TestThat ./modules/order/queue tells what a test reaches.
func reportReached() {
	name := os.Getenv("ONRUSH_TEST_REACHED")
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer func() { _ = f.Close() }()
	counts := reached.Counts()
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		if counts[path] > 0 {
			_, _ = fmt.Fprintln(f, counts[path], path)
		}
	}
}
