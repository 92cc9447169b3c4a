package contract

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

// coverage is what the tests of resources called on one kind of stores. Their valid requests together must be answered
// by each operation of the file, with each property, and operators' changes must be recorded.
type coverage struct {
	mu       sync.Mutex
	called   bool
	answered map[string]bool // operations that were answered with 2xx
	recorded map[string]bool // operations of which a change was recorded
	seen     seen
}

// covered is the coverage by kind of stores.
var covered = map[string]*coverage{kit.Embedded: newCoverage(), kit.RealStores: newCoverage()}

func newCoverage() *coverage {
	return &coverage{answered: map[string]bool{}, recorded: map[string]bool{}}
}

// answer counts a good answer.
func (c *coverage) answer(op *operation, a site.Answer) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.called, c.answered[op.id] = true, true
	c.seen.note(op, a.Status, a.Body)
}

// record counts a recorded change.
func (c *coverage) record(op *operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recorded[op.id] = true
}

// unrecorded are operations that change nothing in the tests of resources, each with the reason.
var unrecorded = map[string]string{
	"abandonChange": crash,
	"retryRefunds":  failure,
}

// missing says what no test has called or seen.
func (c *coverage) missing(operations []*operation) (missing []string) {
	for _, op := range operations {
		if !c.answered[op.id] {
			missing = append(missing, op.id+" was never answered with 2xx")
		}
		changes := op.role() == web.RoleAdmin && op.method != http.MethodGet
		switch records := unrecorded[op.id] == ""; {
		case changes && records && !c.recorded[op.id]:
			missing = append(missing, op.id+" recorded no change")
		case changes && !records && c.recorded[op.id]:
			missing = append(missing, op.id+" recorded a change: remove it from unrecorded")
		}
	}
	for _, name := range c.seen.missing(operations) {
		if unseen[name] == "" {
			missing = append(missing, "the file declares "+name+", and no answer had it")
		}
	}
	return missing
}

// checkCoverage prints the routes and answers that were not covered on the stores that were used, and returns the exit
// code. It checks nothing if only some tests ran.
func checkCoverage(out io.Writer) int {
	if flag.Lookup("test.run").Value.String() != "" {
		return 0
	}
	file, err := readFile()
	if err != nil {
		_, _ = fmt.Fprintln(out, err)
		return 1
	}
	code := 0
	for kind, c := range covered {
		if !c.called {
			continue // not installed, or left out
		}
		for _, what := range c.missing(file.operations) {
			_, _ = fmt.Fprintf(out, "FAIL: the tests of resources on %s stores: %s\n", kind, what)
			code = 1
		}
	}
	return code
}
