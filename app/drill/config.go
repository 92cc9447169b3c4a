package drill

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"onrush/app/drill/wire"
	"onrush/app/operator"
)

// Scenario is the kind of a drill.
type Scenario string

// The scenarios.
const (
	Rush    Scenario = "rush"    // most visitors come in the first moments; a quarter as many units as visitors
	Classic Scenario = "classic" // three sales that refuse 80, 97 and 99 % of their visitors
	Trickle Scenario = "trickle" // visitors come evenly, and there are units for all
	Flood   Scenario = "flood"   // a rush, and one client that sends what it can
	Soak    Scenario = "soak"    // visitors come evenly for a long time, and there are units for all
	Wishes  Scenario = "wishes"  // a rush with a waiting list, a wave, a list of buyers, and a grace for payments
)

var scenarios = []Scenario{Rush, Classic, Trickle, Flood, Soak, Wishes}

const (
	maxBuyers = 1_000_000
	maxFlood  = 20_000 // requests of the client that floods
)

// Config says what a drill does.
type Config struct {
	URLs     []string    // of the instances, such as http://127.0.0.1:8080; at least one
	Token    string      // of an operator; empty: from POST /dev/token
	Tokens   wire.Tokens // of buyers
	Sale     *operator.SaleFile
	Scenario Scenario
	Buyers   int
	// Over is how long visitors come, at least a second.
	Over time.Duration
	Seed uint64
	// PayWithin is how long the buyers of an own sale have to pay, in whole seconds.
	PayWithin time.Duration
	// Settle is how long the program has after the last visitor until everything must be stored, paid back and told.
	Settle time.Duration
	Flood  bool // one client sends what it can, in any scenario
	Keep   bool // what the drill made is not removed
	// AllowFailed accepts what a failover of Redis to a replica that is behind may do: it may sell a unit again that a
	// lost order had, and SQL then refuses one of them; and turns in the waiting room that it lost are given again.
	AllowFailed bool
	History     io.Writer // gets a line of JSON per answer, if it isn't nil

	// BeforeChecks is called when everything has settled.
	BeforeChecks func(sale string) error
	// Faults are what During says that it does, such as "kill redis"; the orders are not shown to survive what did not
	// happen.
	Faults []string
	// During is called when the sale starts, and runs until its context ends.
	During func(run Running)
	// Progress is told of the state every half a second.
	Progress func(Progress)
	// Tried is told of each try of a search.
	Tried func(Try)

	noHumanCheck bool // in a sale of its own
}

// Progress is what a drill has done so far.
type Progress struct {
	Phase    string // prepare, sale, settle, check
	At       time.Duration
	Arrived  int
	Visitors int
	Accepted int
	Queue    int64 // orders that SQL doesn't have yet
}

// FullRedis is the fault of a Redis that has no memory left.
const FullRedis = "full redis"

// ErrNoAddress is the error of a configuration without the address of an instance.
var ErrNoAddress = errors.New("a drill needs the address of an instance")

// Check checks the configuration.
func (c *Config) Check() error {
	switch {
	case c.Buyers < 1 || c.Buyers > maxBuyers:
		return fmt.Errorf("a drill has 1 to %d buyers", maxBuyers)
	case c.Over < time.Second || c.Over > 24*time.Hour:
		return errors.New("visitors come over 1s to 24h")
	case c.PayWithin < time.Second || c.PayWithin > time.Hour || c.PayWithin%time.Second != 0:
		return errors.New("buyers of an own sale have 1s to 1h to pay, in whole seconds")
	case c.Settle < time.Second || c.Settle > time.Hour:
		return errors.New("a drill settles within 1s to 1h")
	case !slices.Contains(scenarios, c.Scenario):
		return fmt.Errorf("the scenario must be one of %v", scenarios)
	case c.Sale != nil && c.Scenario == Classic:
		return errors.New("the scenario classic has sales of its own")
	case len(c.URLs) == 0: // last, since an own program has none yet
		return ErrNoAddress
	}
	return nil
}

// part is a sale of its own of a scenario, and its part of the visitors.
type part struct {
	visitors int
	units    int // of all goods of the sale
}

// parts returns the sales of a scenario, which come one after the other.
func (c *Config) parts() []part {
	switch c.Scenario {
	case Classic:
		third := max(c.Buyers/3, 1)
		return []part{
			{third, max(third/5, 1)}, {third, max(third*3/100, 1)}, {max(c.Buyers-2*third, 1), max(third/100, 1)},
		}
	case Trickle, Soak:
		return []part{{c.Buyers, 2 * ownLimit * c.Buyers}}
	case Rush, Flood, Wishes:
	}
	return []part{{c.Buyers, max(c.Buyers/4, 4)}}
}
