// One buyer orders in a sale, twice, and once outside of it, and lists the orders again and again. Movers bring the
// orders of the sale to SQL. Lists are read from a replica of SQL that may be behind, if that has what the buyer was
// told. A replica of Redis that may be behind takes over.
//
// Checked: a list has each order that was answered before it was asked for. Without WAIT, a failover may lose an order
// that SQL doesn't have yet, which no list can have.
//
// holds: -DFIRST=1
// holds: -DORDERS=2
// holds: -DFAILOVERS=0 -DWAIT=0 -DMOVERS=2 -DORDERS=2
// holds: -DWAIT=0 -DORDERS=2
// holds: -DWAIT=0 -DORDERS=2 -DFIRST=1 -DFAILOVERS=2
//
// The flaws: an ordinary order's position was noted in Redis after the commit, at best; and positions that another run
// of the master had noted were taken for complete.
//
// flaw 4: -DFLAW_NOTED_AFTER
// flaw 4: -DFLAW_NOTED_AFTER -DFAILOVERS=0
// flaw 15: -DFLAW_ANY_RUN -DWAIT=0 -DORDERS=2

#ifndef WAIT
#define WAIT 1
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#ifndef MOVERS
#define MOVERS 1
#endif
#define SALE 2        // orders of the sale
#ifndef ORDERS
#define ORDERS 3      // the last one is the ordinary order; 2: there is none
#endif
#ifndef FIRST
#define FIRST 0       // the first order that the buyer places
#endif
#define CLIENTS 1 + MOVERS
#define BUYER 0

// Positions of SQL are how many orders it has. In Redis they have 2 added to them, and there are also:
#define NONE 0
#define UNKNOWN 1     // somebody reads one from the primary

typedef Redis {
  bool cached[SALE];    // orders:<user>, and {lane}:lock_log
  byte noted;           // {lane}:written, the bucket of the buyer
  byte since;           // {lane}:written, since
  byte run_id           // {lane}:written, run
}

inline copy(to, from) {
  redis[to].cached[0] = redis[from].cached[0]; redis[to].cached[1] = redis[from].cached[1];
  redis[to].noted = redis[from].noted;
  redis[to].since = redis[from].since;
  redis[to].run_id = redis[from].run_id
}

#include "redis.pml"

// SQL.
byte position;          // of the primary
byte reached;           // by the replica
byte stored[SALE + 1];  // at which position the primary has the order, 0: it hasn't

bool answered[SALE + 1];

// modules/order/versions/versions.go: Raise
#define VERSION (stored[SALE] != 0)
#define VERSION_OF_REPLICA (stored[SALE] != 0 && stored[SALE] <= reached)

proctype ReplicaOfSQL() {
end:
  do
  :: atomic { reached < position -> reached++ }
  od
}

proctype Buyer() {
  byte o, written;
  bool ok;
  o = FIRST;
  do
  :: o < SALE ->
     // decrement_stock.lua
     atomic {
       if
       :: stored[o] == 0 && !redis[0].cached[o] -> redis[0].cached[o] = true
       :: else
       fi;
       written = master; wrote(BUYER)
     }
     // modules/seckill/place/placer.go: Placer.Place
     atomic {
       await(BUYER, written, ok);
       answered[o] = answered[o] || ok;
       if
       :: o++
       :: !ok      // it is sent again
       fi;
       written = 0; ok = false; has[BUYER] = true
     }
  :: o == SALE && ORDERS == SALE -> break
  :: o == SALE && ORDERS > SALE ->
     // modules/order/ordinary/place.go: Placer.store
     atomic { position++; stored[o] = position };
#ifdef FLAW_NOTED_AFTER
     if
     :: atomic { redis[0].noted = position + 2; wrote(BUYER); has[BUYER] = true }
     :: skip       // Redis was slow, or had been a moment ago
     fi;
#endif
     answered[o] = true;
     break
  od;
  o = 0
}

// Mover moves an order, and notes a position with the acknowledgement.
proctype Mover(byte me) {
  byte o, written, since, noted, at;
  bool ok;
end:
  do
  :: atomic {
       if
       :: redis[0].cached[0] -> o = 0
       :: redis[0].cached[1] -> o = 1
       fi;
       written = master; wrote(me)
     }
     // modules/order/queue/read_batch.go: Mover.confirmed
     // modules/order/queue/store_batch.go: storer.storeAllOrNone
     atomic {
       await(me, written, ok); written = 0; has[me] = true;
       if
       :: !ok -> o = 0; goto end
       :: else -> ok = false
       fi;
       if
       :: stored[o] == 0 -> position++; stored[o] = position
       :: else
       fi
     }
     // lua/position.go: Scripts.ReadPositions
     // modules/order/logpositions/positions.go: Store.note
     atomic { since = redis[0].since; noted = redis[0].noted };
     at = position;
     // ack_moved.lua
     // written.lua
     atomic {
       if
       :: !redis[0].cached[o]
       :: redis[0].cached[o] && redis[0].since == since && (since == NONE || redis[0].noted == noted) ->
          redis[0].cached[o] = false;
          if
          :: since != NONE -> redis[0].noted = at + 2
          :: else
          fi;
          wrote(me); has[me] = true
       :: else     // it is tried again
       fi;
       o = 0; since = 0; noted = 0; at = 0
     }
  od
}

// modules/order/myorders/service.go: Service.List
proctype List() {
  bool before[SALE + 1], found[SALE];
  bool version, replica;
  byte need, since, current, at, o;
end:
  do
  :: atomic {
       answered[0] || answered[1] || answered[2] ->
       before[0] = answered[0]; before[1] = answered[1]; before[2] = answered[2];
       // The version is asked for first, and may be answered at any time: a later one asks more of the replica.
       // modules/order/logpositions/positions.go: Store.Version
       version = VERSION
     }
     // modules/order/logpositions/reads.go: Reads.Queue, Reads.of
     // lua/run.go: Run
     atomic {
       found[0] = redis[0].cached[0]; found[1] = redis[0].cached[1]; since = redis[0].since; need = redis[0].noted;
       if :: need == NONE && since != UNKNOWN -> need = since :: else fi;
       current = master;
#ifndef FLAW_ANY_RUN
       if :: redis[0].run_id != current -> need = NONE :: else fi
#endif
     }
     if
     :: need == NONE ->
        // modules/order/logpositions/positions.go: Store.begin
        // begin_positions.lua
        atomic {
          if
          :: redis[0].since == since && (since != UNKNOWN || redis[0].run_id != current) ->
             redis[0].since = UNKNOWN; redis[0].noted = NONE; redis[0].run_id = current
          :: else
          fi
        }
        at = position;
        atomic {
          if
          :: redis[0].since == UNKNOWN -> redis[0].since = at + 2
          :: else
          fi;
          at = 0
        }
     :: else
     fi;
     // modules/sqldb/replica.go: Replica.ReadAt
     atomic {
#ifdef FLAW_NOTED_AFTER
       replica = need >= 2 && reached >= need - 2;
#else
       replica = need >= 2 && reached >= need - 2 && VERSION_OF_REPLICA >= version;
#endif
       do
       :: o < ORDERS ->
          assert(!before[o] || o < SALE && found[o % SALE] || !WAIT && stored[o] == 0 ||
            stored[o] != 0 && (!replica || stored[o] <= reached));   // the list lacks an order that was answered
          o++
       :: else -> break
       od;
       o = 0; need = 0; since = 0; current = 0; version = false; replica = false; found[0] = false; found[1] = false;
       before[0] = false; before[1] = false; before[2] = false
     }
  od
}

init {
  byte k;
  atomic {
    everybody(true);
    run Replication(); run ReplicaOfSQL(); run Buyer(); run Mover(1);
#if MOVERS == 2
    run Mover(2);
#endif
    run List()
  }
}
