package mixin

// meanings say of each panel, by its title, what it shows and when to act. Grafana shows them beside the title.
var meanings = map[string]string{
	"Instances": "Instances that Prometheus reads. Fewer than you started: an instance is down or " +
		"unreachable.",
	"Stores reached":             "SQL, Redis and, if set, the replica: how many all instances reach.",
	"Orders accepted per second": "Orders that buyers were told of as placed, over all sales.",
	"Orders that wait for SQL": "Placed orders that are only in Redis so far. It grows while a crowd " +
		"places, and must fall to 0 within seconds after it.",
	"Units of drift": "Units by which the stock in Redis and the orders in SQL differ. Anything but 0 " +
		"that stays needs onrush audit.",
	"Dead entries": "Orders that SQL refuses to store. Nothing is lost; each needs a person, in the " +
		"console at Queue.",

	"Units left":      "What each sale can still sell.",
	"Orders accepted": "Orders placed per second, by sale.",
	"Requests refused": "Requests that were refused, by sale. Many are ordinary once a sale is sold " +
		"out.",
	"Orders in SQL": "Stored orders by status. Unpaid orders become cancelled at the end of their " +
		"payment time.",
	"Refusals by gate":   "Which check refused, and why: limits, the waiting room, the path, the script.",
	"Open event streams": "Pages and programs that listen for events, by instance.",

	"Sales are stopped": "1 while operators have stopped all sales. Instances that differ can't read " +
		"the settings.",
	"Rate limits":        "Whether rate limits refuse (on), only count (dry_run), or are off.",
	"What is turned off": "The degrade level in force. full turns nothing off.",

	"Requests":             "Requests answered per second, by status.",
	"Durations":            "How long answers take, without streams: the median and the 99th percentile.",
	"p99 by route":         "The slowest hundredth of the answers of each route.",
	"Requests that failed": "The share of the API's requests of the last hour that was answered 5xx.",
	"p99 of submits, and of moving an order": "The two times that buyers feel: until a submit is " +
		"answered, and until the order is in SQL.",
	"Left of the failures allowed in 30 days": "1 at the start of 30 days without failures. At 0 the " +
		"objective is missed.",

	"Orders per call": "How many orders share a call of the script. It rises with the crowd, and then " +
		"saves Redis work.",
	"Placing an order": "How long an order waits for its call and the call itself. Far above one call " +
		"of Redis: instances are too few.",
	"One call of Redis": "How long Redis takes for a call of the script, the network included.",
	"Moved to SQL": "Orders that the movers handled per second, by verdict. stored is the ordinary " +
		"one.",
	"From placing to SQL": "How long orders are only in Redis. More than seconds: SQL is the " +
		"bottleneck.",
	"Queue by lane": "Orders that wait for SQL, by lane. A lane that grows while others fall is " +
		"blocked by an order.",
	"Stock that is pending": "Returns and changes of stock that SQL has decided and Redis has not " +
		"carried out yet.",

	"Notifications": "What gateways reported, by webhook or when asked, by what became of the money.",
	"Calls of gateways": "Calls of payment gateways per second: answered, not answered, or not made " +
		"since the gateway rests.",
	"Refunds": "Refunds asked of gateways per second, by outcome.",
	"Gateways that rest": "1 while a gateway isn't called, after calls that failed. The shop offers " +
		"the other channels.",
	"Calls under way": "Calls of a gateway that wait for their answer. Tens that stay: the gateway " +
		"hangs.",
	"What waits": "Payments and refunds that are not settled, and what needs a person.",
	"Events that endpoints have not got": "How many events each endpoint is behind. One that only " +
		"grows is down, or slower than the sale.",

	"Memory of Redis": "The share of maxmemory in use. Near 1 new orders are refused, and placed ones " +
		"are kept.",
	"Connections in use": "Connections of each pool that are busy. At the pool's size for long: " +
		"requests wait for a connection.",
	"Callers that wait for a connection": "How many requests wait for a connection on average. Above " +
		"1: the pool is too small, or the store too slow.",
	"Since a job succeeded": "How long ago each periodic job last succeeded. The alert of the job says " +
		"what is too long.",
	"Clock":     "How far each clock is from the middle one of three: the instance's, Redis' and SQL's.",
	"Processor": "Processors in use by each instance. At the number of its processors, add instances.",
	"Memory":    "Resident memory of each instance.",
}
