// Two buyers order, each with one Idempotency-Key, in two sales of one lane, at two instances. Instances lease order
// numbers, Redis places the orders, movers bring them to SQL, and a replica of Redis that is behind takes over.
//
// Checked: no two buyers are answered the same number; an order that was answered is in SQL, once, under its number;
// SQL sells no unit twice.
//
// holds:
// holds: -DSALES=1
// holds: -DWAIT=0 -DFAILOVERS=0
//
// Two flaws gave two buyers one number: a key of numbers that depends on a secret, which differs while it is changed, and
// a lease that outlives the primary that gave it. The order that came later was lost then, by two more.
//
// flaw 1: -DFLAW_INSTANCE_KEY -DFLAW_NUMBER_OF_SALE -DFLAW_COLLISION_DIES
// flaw 1: -DFLAW_OLD_LEASE -DFLAW_NUMBER_OF_SALE -DFLAW_COLLISION_DIES
// flaw 1: -DFLAW_OLD_LEASE -DFLAW_NUMBER_OF_SALE -DFLAW_COLLISION_DIES -DLOSS_ONLY
//
// Each of the defences is enough by itself. Another number for the later order is a defence against its loss.
//
// holds: -DFLAW_NUMBER_OF_SALE -DFLAW_COLLISION_DIES
// holds: -DFLAW_INSTANCE_KEY -DFLAW_COLLISION_DIES
// holds: -DFLAW_OLD_LEASE -DFLAW_COLLISION_DIES
// holds: -DFLAW_OLD_LEASE -DFLAW_NUMBER_OF_SALE -DLOSS_ONLY

#ifndef WAIT
#define WAIT 1        // ONRUSH_REDIS_REPLICAS: whether an answer waits for the replica
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#ifndef TRIES
#define TRIES(me) 2 - me // how often a buyer sends the same order
#endif
#ifndef SALES
#define SALES 2       // 1: the buyers compete for the unit of one sale
#endif
#define BUYERS 2
#define SEGMENT 2     // numbers in a lease
#define SPACE 14      // numbers
#ifndef MOVERS
#define MOVERS 1
#endif
#define CLIENTS 3 + MOVERS - 1
#define NONE 0

#define SALE(buyer) (SALES == 2 -> buyer : 0)

typedef Redis {
  byte seq;             // {lane}:seq
  byte task[BUYERS];    // …:tasks: the number of the order of a buyer's key, or NONE
  byte queued[BUYERS];  // {lane}:lock_log and orders:<user>: the number of the buyer's order, or NONE
  byte head;            // the buyer at the head of the queue + 1, or NONE
  byte held[BUYERS];    // …:held: the number that holds a unit for the buyer, or NONE
  byte stock[SALES]
}

inline copy(to, from) {
  redis[to].seq = redis[from].seq;
  redis[to].head = redis[from].head;
  redis[to].stock[0] = redis[from].stock[0];
  redis[to].stock[SALES - 1] = redis[from].stock[SALES - 1];
  k = 0;
  do
  :: k < BUYERS ->
     redis[to].task[k] = redis[from].task[k];
     redis[to].queued[k] = redis[from].queued[k];
     redis[to].held[k] = redis[from].held[k];
     k++
  :: else -> break
  od;
  k = 0
}

#include "redis.pml"

// SQL.
byte owner[SPACE];    // orders.number: its buyer + 1, or NONE
byte order[BUYERS];   // orders.task_id, unique: the order's number, or NONE
byte sold[SALES];     // activity_stock.sold

// What an instance has leased: one number, or NONE, and the run of the primary that leased it.
byte leased[2];
byte of_run[2];
byte fence;           // in SQL: what was leased is below it

byte answered[BUYERS];
bool refused[BUYERS]; // the buyer's order was refused: no unit was left

// permuted is the number of a place in the sequence. Its key is the site's: the same at both instances.
// modules/seckill/numbers.go: Numbers.permute
#ifdef FLAW_INSTANCE_KEY
#define PERMUTED(i, n) (i == 1 -> ((n - 1) ^ 2) + 1 : n)
#else
#define PERMUTED(i, n) n
#endif

// Buyer sends an order until it is answered, at any instance each time.
proctype Buyer(byte me) {
  byte i, n, written, tries;
  bool ok;

again:
  // A number is drawn. The requests of an instance wait for its lease.
  // modules/seckill/numbers.go: Numbers.Next
  atomic {
    n = 0; written = 0; ok = false;
    if
    :: tries == TRIES(me) -> goto gone
    :: else -> tries++
    fi;
    if :: i = 0 :: i = 1 fi;
    if
#ifdef FLAW_OLD_LEASE
    :: leased[i] != NONE ->
#else
    :: leased[i] != NONE && of_run[i] == master ->
#endif
       n = leased[i]; leased[i] = NONE; of_run[i] = 0
    :: else ->
       // lua/lease.go: Scripts.LeaseSeq
       n = redis[0].seq + 1;
#ifndef FLAW_OLD_LEASE
       if :: n < fence -> n = fence :: else fi;
       fence = n + SEGMENT;
#endif
       assert(n + SEGMENT <= SPACE - BUYERS);  // else SPACE is too small
       redis[0].seq = n + SEGMENT - 1;
       wrote(me);
#if SEGMENT > 1
       leased[i] = n + 1; of_run[i] = master
#endif
    fi;
    n = PERMUTED(i, n)
  }
  // decrement_stock.lua
  atomic {
    written = master;
    if
    :: redis[0].task[me] != NONE -> n = redis[0].task[me]; wrote(me)
    :: else ->
       if
       :: redis[0].stock[SALE(me)] == 0 -> refused[me] = true; goto gone
       :: else
       fi;
       if
#ifdef FLAW_NUMBER_OF_SALE
       :: SALES == 1 && redis[0].held[1 - me] == n ->
#else
       :: redis[0].held[1 - me] == n || redis[0].queued[1 - me] == n ->
#endif
          goto again
       :: else
       fi;
       redis[0].stock[SALE(me)]--;
       redis[0].task[me] = n; redis[0].held[me] = n; redis[0].queued[me] = n;
       if :: redis[0].head == NONE -> redis[0].head = me + 1 :: else fi;
       wrote(me)
    fi
  }
  // modules/seckill/attempt.go: Service.place, Service.answer
  atomic {
    await(me, written, ok);
    if
    :: ok ->
#ifndef LOSS_ONLY
       assert(answered[1 - me] != n);             // a number that two buyers have
#endif
       answered[me] = n
    :: else -> goto again
    fi
  }
gone:
  atomic { i = 0; n = 0; written = 0; tries = 0; ok = false; has[me] = true }
}

// Mover of an instance moves the order at the head of the queue: peek, commit, ack.
proctype Mover(byte me) {
  byte buyer, n, written, verdict;
  bool ok;
end:
  do
  :: atomic {
       // modules/order/queue/read_batch.go: Mover.peek
       // lua/replicas.go: Scripts.AwaitReplicas
       redis[0].head != NONE -> buyer = redis[0].head - 1; n = redis[0].queued[buyer]; written = master; wrote(me)
     }
     // modules/order/queue/confirmed.go: Mover.confirmed
     atomic {
       await(me, written, ok); written = 0;
       if
       :: ok
       :: else -> buyer = 0; n = 0; goto end
       fi
     }
     // modules/order/queue/store_each.go: storer.storeOne, storer.explainDuplicate
     // modules/order/queue/sell.go: sell
     atomic {
       if
       :: owner[n] == buyer + 1 -> verdict = n
       :: owner[n] != buyer + 1 && order[buyer] != NONE -> verdict = order[buyer]
       :: owner[n] == NONE && order[buyer] == NONE ->
          owner[n] = buyer + 1; order[buyer] = n; verdict = n;
          if
          :: sold[SALE(buyer)] == 0 -> sold[SALE(buyer)]++
          :: else -> refused[buyer] = true
          fi
       :: owner[n] != NONE && owner[n] != buyer + 1 && order[buyer] == NONE ->
#ifdef FLAW_COLLISION_DIES
          verdict = NONE
#else
          verdict = SPACE - 1 - buyer;           // another number, which nobody has
          owner[verdict] = buyer + 1; order[buyer] = verdict;
          sold[SALE(buyer)]++
#endif
       fi
     }
     // the instance may be killed here
     atomic {
       if
       :: skip
       :: buyer = 0; n = 0; verdict = 0; goto end
       fi
     }
     // ack_moved.lua
     atomic {
       if
       :: redis[0].head == buyer + 1 && redis[0].queued[buyer] == n ->
          redis[0].queued[buyer] = NONE;
          redis[0].task[buyer] = verdict;
          if
          :: redis[0].queued[1 - buyer] != NONE -> redis[0].head = 2 - buyer
          :: else -> redis[0].head = NONE
          fi;
          wrote(me)
       :: else
       fi;
       buyer = 0; n = 0; verdict = 0; has[me] = true
     }
  od
}

proctype Judge() {
  byte b;
  timeout;
  b = 0;
  do
  :: b < BUYERS ->
     if
     :: answered[b] != NONE ->
        assert(order[b] != NONE);                     // an order that was answered and is lost
#ifndef LOSS_ONLY
        assert(order[b] == answered[b]);           // its number isn't the one that was answered
#endif
     :: else
     fi;
     b++
  :: else -> break
  od;
  assert(sold[0] <= 1)
}

init {
  byte k;
  atomic {
    redis[0].stock[0] = 1; redis[0].stock[SALES - 1] = 1;
    everybody(true);
    run Replication(); run Buyer(0); run Buyer(1); run Mover(2);
#if MOVERS == 2
    run Mover(3);
#endif
    run Judge()
  }
}
