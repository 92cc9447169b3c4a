// Two buyers order, each with one Idempotency-Key, in two sales of one lane, at two instances. Instances lease order
// numbers, Redis places the orders, movers bring them to SQL, and a replica of Redis that is behind takes over.
//
// Checked: no two buyers are answered the same number; an order that was answered is in SQL, once, under its number;
// SQL sells no unit twice.
//
// holds:
// holds: -DSALES=1
// holds: -DWAIT=0 -DFAILOVERS=0
// holds: -DWAIT=0 -DNUMBERS_ONLY
//
// Two flaws gave two buyers one number: a key of numbers that depends on a secret, which differs while it is changed, and
// a lease that outlives the primary that gave it. The order that came later was lost then, by two more.
//
// flaw 1: -DFLAW_INSTANCE_KEY -DFLAW_NUMBER_OF_SALE -DFLAW_COLLISION_DIES
// flaw 1: -DFLAW_OLD_LEASE -DFLAW_NUMBER_OF_SALE -DFLAW_COLLISION_DIES
// flaw 1: -DFLAW_OLD_LEASE -DFLAW_NUMBER_OF_SALE -DFLAW_COLLISION_DIES -DLOSS_ONLY
//
// Numbers that can't meet need no other defence; and if they meet all the same, no order is lost.
//
// holds: -DFLAW_NUMBER_OF_SALE -DFLAW_COLLISION_DIES
// holds: -DFLAW_INSTANCE_KEY -DLOSS_ONLY
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
#define SPACE 22      // numbers
#ifndef MOVERS
#define MOVERS 1
#endif
#define CLIENTS 3 + MOVERS - 1
#define SKIP 6        // numbers that a new primary skips, more than the last one leased
#define NONE 0

#define SALE(buyer) (SALES == 2 -> buyer : 0)

typedef Redis {
  byte next;            // {lane}:leases, next
  byte giver;           // {lane}:leases, run: of the primary that gave the last lease, + 1
  byte task[BUYERS];    // …:tasks: the number of the order of a buyer's key, or NONE
  byte queued[BUYERS];  // {lane}:lock_log and orders:<user>: the number of the buyer's order, or NONE
  byte head;            // the buyer at the head of the queue + 1, or NONE
  byte held[BUYERS];    // …:held: the number that holds a unit for the buyer, or NONE
  byte stock[SALES]
}

inline copy(to, from) {
  redis[to].next = redis[from].next;
  redis[to].giver = redis[from].giver;
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

// What an instance has leased: the numbers from next to known, the end of its last lease.
byte next[2];
byte known[2];

byte answered[BUYERS];
bool refused[BUYERS]; // the buyer's order was refused: no unit was left

// permuted is the number of a place in the sequence. Its key is the site's: the same at both instances.
// modules/order/numbers/numbers.go: rounds.permute, roundsOf
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
  // modules/order/numbers/numbers.go: Numbers.Next, Numbers.lease
  atomic {
    n = 0; written = 0; ok = false;
    if
    :: tries == TRIES(me) -> goto gone
    :: else -> tries++
    fi;
    if :: i = 0 :: i = 1 fi;
    if
    :: next[i] != known[i] -> n = next[i]; next[i]++; goto place
    :: else
    fi;
    // lease_numbers.lua
    n = redis[0].next;
#ifndef FLAW_OLD_LEASE
    if :: known[i] > n -> n = known[i] :: else fi;
    if
    :: n == 0                                                   // a random place
    :: n != 0 && redis[0].giver != master + 1 -> n = n + SKIP   // this primary gives its first lease
    :: else
    fi;
#endif
    if :: n == 0 -> n = 1 + SKIP * master :: else fi;
#ifdef FLAW_OLD_LEASE
    if :: redis[0].next == 0 -> n = 1 :: else fi;
#endif
    assert(n + SEGMENT <= SPACE - BUYERS);  // else SPACE is too small
    redis[0].next = n + SEGMENT; redis[0].giver = master + 1;
    written = master; wrote(me)
  }
  // lua/lease_numbers.go: Scripts.leaseConfirmed
  atomic {
#ifdef FLAW_OLD_LEASE
    ok = true;
#else
    await(me, written, ok);
#endif
    if
    :: ok -> next[i] = n + 1; known[i] = n + SEGMENT
    :: else -> goto again
    fi
  }
place:
  // decrement_stock.lua
  atomic {
    n = PERMUTED(i, n); written = master; ok = false;
    if
    :: redis[0].task[me] != NONE -> n = redis[0].task[me]; wrote(me)
    :: else ->
       if
       :: redis[0].stock[SALE(me)] == 0 -> refused[me] = true; goto gone
       :: else
       fi;
       if
       :: SALE(0) == SALE(1) && redis[0].held[1 - me] == n -> next[i] = known[i]; goto again
#ifndef FLAW_NUMBER_OF_SALE
       :: redis[0].queued[1 - me] == n -> next[i] = known[i]; goto again      // {lane}:numbers
#endif
       :: else
       fi;
       redis[0].stock[SALE(me)]--;
       redis[0].task[me] = n; redis[0].held[me] = n; redis[0].queued[me] = n;
       if :: redis[0].head == NONE -> redis[0].head = me + 1 :: else fi;
       wrote(me)
    fi
  }
  // modules/seckill/place/placer.go: Placer.Place
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
     // modules/order/queue/read_batch.go: Mover.confirmed
     atomic {
       await(me, written, ok); written = 0;
       if
       :: ok
       :: else -> buyer = 0; n = 0; goto end
       fi
     }
     // modules/order/queue/store_each.go: storer.storeOne, storer.explainDuplicate
     // modules/order/queue/store_batch.go: sell
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
          // modules/order/queue/renumber.go: storer.renumber
          // renumber_order.lua
          if
          :: redis[0].head == buyer + 1 && redis[0].queued[buyer] == n ->
             redis[0].queued[buyer] = SPACE - 1 - buyer; redis[0].held[buyer] = SPACE - 1 - buyer;
             redis[0].task[buyer] = SPACE - 1 - buyer
          :: else
          fi;
          buyer = 0; n = 0; goto end
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
#ifndef NUMBERS_ONLY
        assert(order[b] != NONE);                    // an order that was answered and is lost
#endif
#if !defined(LOSS_ONLY) && !defined(NUMBERS_ONLY)
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
