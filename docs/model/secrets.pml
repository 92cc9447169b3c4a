// A secret is changed while a buyer orders: two instances go through the steps of the change, one after the other. The
// buyer gets a path at one instance, sends it with an Idempotency-Key to another, asks for the task, and sends the same
// order again. Movers store orders, and a replica of Redis that is behind takes over.
//
// Checked: what one instance signed, another one accepts for as long as it holds; and one key makes one order.
//
// holds:
// holds: -DWAIT=1
//
// Two flaws: the MAC of a task id was part of the unique column, and no instance accepted the new secret before another
// one signed with it.
//
// flaw 5: -DFLAW_SECRET_IN_KEY
// flaw 5: -DFLAW_NO_NEXT

#ifndef WAIT
#define WAIT 0        // with 1, the replica has the task of each order that is stored
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#define CLIENTS 2     // the buyer, the mover
#define BUYER 0
#define MOVER 1
#define TRIES 2
#define OLD 1
#define NEW 2

typedef Redis {
  byte task;            // …:tasks: 1 if the order of the key is known
  byte queued           // {lane}:lock_log and orders:<user>: by which secret the task id was sealed, or 0
}

inline copy(to, from) {
  redis[to].task = redis[from].task;
  redis[to].queued = redis[from].queued
}

#include "redis.pml"

// SQL: whether orders.task_id, which is unique, has the order; by what is in it.
bool stored[3];

// The steps of a change of a secret, as docs/operating/secrets.md has them, which each instance is at.
//   0  old
//   1  old, next new
//   2  new, previous old
//   3  new
byte step[2];

// modules/sign/keys.go: Keys.Sign
#define SIGNS(i) (step[i] < 2 -> OLD : NEW)
// modules/sign/keys.go: Keys.Accepts
#define ACCEPTS(i, by) (by == OLD && step[i] != 3 || by == NEW && step[i] != 0)

byte path;             // by which secret the buyer's path is signed, 0: the buyer has none
byte task;             // the same of the task id that the buyer was answered

// Operator changes the settings of one instance after the other, and goes on once both have a step.
proctype Operator() {
  byte i;
end:
  do
#ifdef FLAW_NO_NEXT
  // As the page of secrets said: the new secret and the previous one, at one instance after the other.
  :: d_step { step[0] == 0 -> step[0] = 2 }
  :: d_step { step[0] == 2 && step[1] == 0 -> step[1] = 2 }
#else
  :: d_step { step[0] < 2 && step[0] == step[1] -> step[0]++ }
  :: d_step { step[1] < step[0] -> step[1]++ }
#endif
  // The last step waits until what the old secret signed has ended.
  :: d_step { step[0] == 2 && step[1] == 2 && path != OLD && task != OLD -> step[0] = 3 }
  od
}

proctype Buyer() {
  byte i, tries, written;
  bool ok;
  do
  :: tries == TRIES -> break
  :: else ->
     // A path. It holds for two minutes.
     // modules/seckill/sign.go: signer.sealPath
     atomic {
       tries++;
       if
       :: path == 0 -> if :: i = 0 :: i = 1 fi; path = SIGNS(i)
       :: path != 0
       fi
     }
     // A submit, at any instance.
     // modules/seckill/sign.go: signer.openPath, newTaskID, signer.sealTask
     atomic {
       if :: i = 0 :: i = 1 fi;
       assert(ACCEPTS(i, path));       // a path is refused that another instance has just given
       written = master;
       if
       :: redis[0].task != 0
       :: redis[0].task == 0 -> redis[0].task = 1; redis[0].queued = SIGNS(i)
       fi;
       wrote(BUYER)
     }
     atomic {
       await(BUYER, written, ok);
       // An answer of unknown outcome has the task id, too.
       // modules/seckill/submit.go: Service.place
       // modules/seckill/place/placer.go: unknown
       if
       :: task == 0 || ok -> task = SIGNS(i)
       :: else
       fi;
       written = 0; ok = false; has[BUYER] = true
     }
     // A poll.
     // modules/seckill/sign.go: signer.openTask
     atomic {
       if :: i = 0 :: i = 1 fi;
       assert(ACCEPTS(i, task));       // a task is refused that another instance has just given
       i = 0
     }
  od;
  atomic { path = 0; task = 0; tries = 0 }
}

// modules/order/queue/store_each.go: storer.storeOne
proctype Mover() {
  byte sealed, written;
  bool ok;
end:
  do
  :: atomic { redis[0].queued != 0 -> sealed = redis[0].queued; written = master; wrote(MOVER) }
     atomic {
       await(MOVER, written, ok); written = 0;
       if
       :: !ok -> sealed = 0; goto end
       :: else -> ok = false
       fi
     }
     // modules/order/queue/placed_again.go: storer.explainTask
     // modules/order/task.go: TaskID.String
#ifdef FLAW_SECRET_IN_KEY
     stored[sealed] = true;
#else
     stored[0] = true;
#endif
     atomic {
       if
       :: redis[0].queued == sealed -> redis[0].queued = 0
       :: else
       fi;
       assert(stored[0] + stored[OLD] + stored[NEW] <= 1);    // one key, two orders
       sealed = 0; has[MOVER] = true
     }
  od
}

init {
  byte k;
  atomic { everybody(true); run Replication(); run Operator(); run Buyer(); run Mover() }
}
