// One unit of one sale: the first buyer orders it and cancels, the second one orders it then. The sale is loaded, orders
// move to SQL, returns go through the outbox, audits mend, and a replica of Redis that is behind takes over.
//
// Checked: SQL sells no unit twice; without a failover, no order that was placed fails for lack of units; and once
// nothing is under way any more, the unit is sold or for sale: none is lost for good, none is there twice.
//
// holds: -DFAILOVERS=2
// holds: -DFAILOVERS=2 -DWAIT=0
// holds: -DFAILOVERS=0
// holds: -DFAILOVERS=0 -DWAIT=0
//
// A unit was lost for good: the row of the outbox went before the replica had the return, and only an operator mended.
// Each of the two defences is enough by itself.
//
// flaw 14: -DFLAW_DROP_EARLY -DFLAW_OPERATOR_MENDS
// holds: -DFLAW_DROP_EARLY
// holds: -DFLAW_OPERATOR_MENDS

#ifndef WAIT
#define WAIT 1
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#define BUYERS 2
#define TOTAL 1
#define CLIENTS 3     // the first buyer, who cancels; the second one and the mover; the job that settles
#define JOB 2

// States of a sale in Redis, and of an order in SQL.
#define ABSENT 0
#define LOADING 1
#define OPEN 2
#define UNPAID 1
#define CANCELLED 2
#define FAILED 3

typedef Redis {
  byte state;           // …:meta state
  byte epoch;           // …:meta epoch
  byte repairs;         // …:meta repairs
  byte stock;           // …:stock
  bool held[BUYERS];    // …:held, by the buyer of the order
  bool queued[BUYERS]   // {lane}:lock_log and orders:<user>
}

inline copy(to, from) {
  redis[to].state = redis[from].state;
  redis[to].epoch = redis[from].epoch;
  redis[to].repairs = redis[from].repairs;
  redis[to].stock = redis[from].stock;
  redis[to].held[0] = redis[from].held[0]; redis[to].held[1] = redis[from].held[1];
  redis[to].queued[0] = redis[from].queued[0]; redis[to].queued[1] = redis[from].queued[1]
}

#include "redis.pml"

// SQL.
byte epoch;             // activity_stock.epoch
byte sold;              // activity_stock.sold
byte status[BUYERS];    // orders.status, ABSENT without an order
bool pending[BUYERS];   // stock_outbox: the return of a cancelled order

#define PLACED(b) (redis[0].queued[b] && status[b] == ABSENT)
#define RETURNING(b) (pending[b] && redis[0].held[b])
#define ACCOUNT (redis[0].stock + PLACED(0) + PLACED(1) + sold + RETURNING(0) + RETURNING(1))

// place is decrement_stock.lua. An order is sent again where a failover lost it; orders.pml has its number and its task.
// modules/seckill/place/batch.go: Placer.send
inline place(b) {
  atomic {
    redis[0].state == OPEN && redis[0].epoch == epoch && redis[0].stock > 0 && !redis[0].queued[b] && status[b] == ABSENT ->
    redis[0].stock--; redis[0].held[b] = true; redis[0].queued[b] = true; wrote(b)
  }
}

// carryOut gives back the unit of the first buyer's order, and drops the row of the outbox.
// modules/order/stock_outbox.go: StockOutbox.carryOut, StockOutbox.remove
// return_stock.lua
inline carryOut(me) {
  atomic { seen = epoch };
  atomic {
    written = master; ok = false;
    if
    :: redis[0].state == OPEN ->
       if
       :: redis[0].held[0] -> redis[0].held[0] = false; redis[0].stock++
       :: else
       fi;
       wrote(me); ok = true
    :: else
    fi
  }
  atomic {
    if
    :: ok ->
#ifndef FLAW_DROP_EARLY
       await(me, written, ok);
#endif
       if
       :: ok && epoch == seen -> pending[0] = false
       :: else
       fi
    :: else
    fi;
    seen = 0; written = 0; ok = false; has[me] = true
  }
}

proctype First() {
  byte seen, written;
  bool ok;
end:
  do
  :: place(0)
  :: // The order is in SQL first.
     // modules/order/cancel.go: Canceller.Cancel, Canceller.cancel
     atomic { status[0] == UNPAID -> status[0] = CANCELLED; sold--; pending[0] = true };
     break
  od;
  if
  :: carryOut(0)
  :: skip               // the instance is killed
  fi
}

proctype Second() {
end:
  do
  :: place(1)
  od
}

// modules/order/stock_outbox.go: StockOutbox.RunOnce
proctype Settle() {
  byte seen, written;
  bool ok;
end:
  do
  :: pending[0] && redis[0].state == OPEN -> carryOut(JOB)
  od
}

// Mover moves an order: peek, commit, ack. The queue has the orders of this sale only, so their order doesn't matter.
proctype Mover() {
  byte b, seen, written;
  bool ok;
end:
  do
  :: atomic {
       if
       :: redis[0].queued[0] -> b = 0
       :: redis[0].queued[1] -> b = 1
       fi;
       // modules/order/queue/read_batch.go
       seen = epoch; written = master; wrote(1)
     }
     atomic {
       // modules/order/queue/read_batch.go: Mover.confirmed
       await(1, written, ok);
       written = 0; has[1] = true;
       if
       :: !ok -> b = 0; seen = 0; goto end
       :: else -> ok = false
       fi
     }
     // modules/order/queue/store_batch.go: storer.store
     // modules/order/queue/store_batch.go: sell
     atomic {
       if
       :: status[b] != ABSENT
       :: status[b] == ABSENT && epoch != seen -> b = 0; seen = 0; goto end
       :: status[b] == ABSENT && epoch == seen && sold < TOTAL -> status[b] = UNPAID; sold++
       :: status[b] == ABSENT && epoch == seen && sold == TOTAL -> assert(failovers > 0); status[b] = FAILED
       fi;
       seen = 0
     }
     // ack_moved.lua
     atomic {
       if
       :: redis[0].queued[b] && redis[0].state != LOADING ->
          redis[0].queued[b] = false;
          if
          :: status[b] == FAILED -> redis[0].held[b] = false
          :: else
          fi
       :: else
       fi;
       b = 0
     }
  od
}

// Load fills the sale from SQL: when it is published, and where Redis has lost the last load.
// modules/seckill/inventory/load.go: Loader.Open, Loader.begin
// modules/seckill/inventory/preheat.go: Preheater.RunOnce
proctype Load() {
  byte mine, stock;
  bool unpaid[BUYERS];
  byte b;
end:
  do
  :: atomic {
       (redis[0].state != OPEN || redis[0].epoch != epoch) && mine == 0 ->
       if
       :: redis[0].epoch > epoch -> epoch = redis[0].epoch + 1
       :: else -> epoch++
       fi;
       mine = epoch;
       redis[0].state = LOADING; redis[0].epoch = mine; redis[0].stock = 0;
       redis[0].held[0] = false; redis[0].held[1] = false
     }
     // the view, and the queue after it
     // modules/seckill/inventory/load_fill.go: filler.fill
     atomic {
       stock = TOTAL - sold - pending[0];
       unpaid[0] = status[0] == UNPAID || pending[0]; unpaid[1] = status[1] == UNPAID
     }
     // load_activity.lua
     atomic {
       if
       :: redis[0].state == LOADING && redis[0].epoch == mine ->
          // An order in the queue that is not in the view, too: it keeps its unit.
          do
          :: b < BUYERS ->
             if
             :: redis[0].queued[b] && !unpaid[b] && status[b] != FAILED && status[b] != CANCELLED && stock > 0 ->
                unpaid[b] = true; stock--
             :: else
             fi;
             redis[0].held[b] = unpaid[b];
             b++
          :: else -> break
          od;
          redis[0].stock = stock; redis[0].state = OPEN; redis[0].repairs = 0
       :: else
       fi;
       mine = 0; stock = 0; b = 0; unpaid[0] = false; unpaid[1] = false
     }
  od
}

#define STALE(b) (redis[0].held[b] && !pending[b] && !redis[0].queued[b] && status[b] != UNPAID)
#define MISSING(b) (!redis[0].held[b] && (status[b] == UNPAID || PLACED(b)))
#define LOADED (redis[0].state == OPEN && redis[0].epoch == epoch)

byte audits;            // how many found something wrong
byte may_audit = 2;

// Audit mends what two accounts agree on. The job runs for ever; the model bounds how often it finds something wrong.
// modules/seckill/inventory/audit_job.go: Auditor.RunOnce
proctype Audit() {
  byte first, second, repairs, b;
end:
  do
  :: atomic {
       audits < may_audit && LOADED && (ACCOUNT != TOTAL || STALE(0) || STALE(1) || MISSING(0) || MISSING(1)) ->
       first = ACCOUNT; audits++
     }
#ifndef FLAW_OPERATOR_MENDS
     // modules/seckill/inventory/compare_holds.go: comparer.mendHolds
     atomic {
       if
       :: LOADED ->
          do
          :: b < BUYERS ->
             if
             :: STALE(b) -> redis[0].held[b] = false
             :: MISSING(b) -> redis[0].held[b] = true
             :: else
             fi;
             b++
          :: else -> break
          od
       :: else
       fi;
       b = 0
     }
#endif
     // modules/seckill/inventory/account.go: accountant.fenced
     atomic { if :: LOADED -> second = ACCOUNT; repairs = redis[0].repairs :: else -> second = TOTAL fi };
     // modules/seckill/inventory/audit.go: Audit.correction
     // repair_stock.lua
     atomic {
       if
       :: LOADED && redis[0].repairs == repairs && second > TOTAL && redis[0].stock > 0 ->
          redis[0].stock--; redis[0].repairs++
#ifndef FLAW_OPERATOR_MENDS
       :: LOADED && redis[0].repairs == repairs && second < TOTAL && first == second ->
          redis[0].stock++; redis[0].repairs++
#endif
       :: else
       fi;
       first = 0; second = 0; repairs = 0
     }
  od
}

proctype Judge() {
  timeout;
  may_audit = audits + 2; // nothing is under way any more: the next audits are enough
  timeout;
  assert(ACCOUNT == TOTAL)
}

init {
  byte k;
  atomic {
    everybody(true);
    run Replication(); run First(); run Second(); run Settle(); run Mover(); run Load(); run Audit(); run Judge()
  }
}
