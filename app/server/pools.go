package server

import (
	"time"

	"onrush/modules/sqldb"
)

// Pools are the connections to the SQL store of each kind of caller; the movers and jobs have their own. So neither a
// row that is locked for long nor many callers of one kind use up the connections of the others.
type Pools struct {
	Webhooks, Buyers, Operators *sqldb.DB
	// Positions asks the primary for its position, where there is a replica, so that a transaction may do so too.
	Positions *sqldb.DB
}

// requestLockWait is how long a statement of a request waits for a row. It is well below the request's
// deadline, so that no statement keeps waiting on the server after its request has ended.
const requestLockWait = time.Second

// division is how many connections each pool has.
type division struct{ work, webhooks, buyerWriters, buyerReaders, operators int }

// leastConnections is how few connections can be divided; more than mostConnections is a mistake.
const leastConnections, mostConnections = 8, 1000

// divide divides the connections of an instance; of 32, movers and jobs get 11, webhooks 4, buyers
// 8 to write and 5 to read, operators 4. An audit takes two at once, of the jobs or of the operators.
func divide(connections int) division {
	n := max(connections, leastConnections)
	d := division{webhooks: n / 8, buyerWriters: n / 4, buyerReaders: n / 6, operators: max(n/8, 2)}
	d.work = n - d.webhooks - d.buyerWriters - d.buyerReaders - d.operators
	return d
}

// OpenPools opens the pools on the store of db, which is the pool of movers and jobs. On SQLite
// all of them are db.
func OpenPools(db *sqldb.DB, connections int) (Pools, error) {
	d := divide(connections)
	var p Pools
	for _, open := range []struct {
		pool **sqldb.DB
		size sqldb.Pool
	}{
		{&p.Webhooks, sqldb.Pool{Writers: d.webhooks, LockWait: requestLockWait}},
		{&p.Buyers, sqldb.Pool{Writers: d.buyerWriters, Readers: d.buyerReaders, LockWait: requestLockWait}},
		{&p.Operators, sqldb.Pool{Writers: d.operators, LockWait: requestLockWait}},
		{&p.Positions, sqldb.Pool{Writers: positionConnections, LockWait: requestLockWait}},
	} {
		var err error
		if *open.pool, err = db.Pool(open.size); err != nil {
			p.Close()
			return Pools{}, err
		}
	}
	return p, nil
}

// positionConnections come on top of the connections that are divided. Only programs with a replica use them.
const positionConnections = 2

// Close closes the pools that are open.
func (p Pools) Close() {
	for _, db := range []*sqldb.DB{p.Webhooks, p.Buyers, p.Operators, p.Positions} {
		if db != nil {
			_ = db.Close()
		}
	}
}

// orElse sets pools that are nil to db.
func (p Pools) orElse(db *sqldb.DB) Pools {
	for _, pool := range []**sqldb.DB{&p.Webhooks, &p.Buyers, &p.Operators, &p.Positions} {
		if *pool == nil {
			*pool = db
		}
	}
	return p
}
