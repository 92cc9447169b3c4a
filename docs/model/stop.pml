// An operator stops all sales at one of two instances. SQL may freeze, instances may be killed and start again, and a
// replica of Redis that is behind takes over.
//
// Checked: once the stop was answered with 200, no instance that has read a store takes orders.
//
// holds:
// holds: -DWAIT=0 -DFAILOVERS=0
//
// The flaws: a stop was answered although only one store had it, or a copy that no replica had; and an instance forgot
// what it had read from a former primary.
//
// flaw 10: -DFLAW_ANSWERS_EARLY -DFLAW_FORGETS
// flaw 10: -DFLAW_ANSWERS_EARLY
// flaw 10: -DFLAW_COPY_UNCONFIRMED
//
// An instance that forgets does no harm to what both stores have for sure.
//
// holds: -DFLAW_FORGETS

#ifndef WAIT
#define WAIT 1
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#ifndef STARTS
#define STARTS 2      // how often an instance is killed and starts again
#endif
#define CLIENTS 3     // the instances, and the request of the operator
#define OPERATOR 2

// What a store or an instance has of the settings: the later change is the greater one.
#define NOTHING 0
#define SOLD 1        // sales go on
#define STOPPED 2

typedef Redis {
  byte settings         // settings
}

inline copy(to, from) { redis[to].settings = redis[from].settings }

#include "redis.pml"

byte row = SOLD;        // of SQL: settings
bool frozen;            // SQL
byte known[2] = SOLD;   // by the instance
#ifdef FLAW_FORGETS
byte of_redis[2] = SOLD;
byte of_sql[2] = SOLD;
#endif
bool answered;          // the stop, with 200
bool has_read[2];       // the instance has read Redis since
byte starts;

#define MAX(a, b) ((a) > (b) -> a : b)

// promise is what an answer to a stop promises: an instance that has read Redis since, which takes the orders, refuses
// them. One that knows nothing refuses them, too.
// modules/settings/http_gate.go: HTTPGate.refusal
inline promise(i) { assert(!has_read[i] || known[i] == NOTHING || known[i] == STOPPED) }

// modules/settings/store.go: Store.readRedis
inline readRedis(i) {
  has_read[i] = answered;
#ifdef FLAW_FORGETS
  of_redis[i] = redis[0].settings; known[i] = MAX(of_redis[i], of_sql[i])
#else
  known[i] = MAX(known[i], redis[0].settings);
  if
  :: redis[0].settings < known[i] -> redis[0].settings = known[i]; wrote(i)
  :: else
  fi
#endif
}

// modules/settings/store.go: Store.readSQL
// modules/settings/change.go: Store.Settle
inline readSQL(i) {
#ifdef FLAW_FORGETS
  of_sql[i] = row; known[i] = MAX(of_redis[i], of_sql[i]);
#else
  known[i] = MAX(known[i], row);
#endif
  row = known[i]
}

proctype Instance(byte i) {
end:
  do
  :: atomic { readRedis(i); promise(i) }
  :: atomic { !frozen -> readSQL(i); promise(i) }
  :: atomic { !frozen && redis[0].settings < row -> redis[0].settings = row; wrote(i) }
  // It is killed, and reads both stores before it serves.
  // modules/settings/store.go: Store.Load
  :: atomic {
       starts < STARTS -> starts++; known[i] = NOTHING; has_read[i] = false;
#ifdef FLAW_FORGETS
       of_redis[i] = NOTHING; of_sql[i] = NOTHING;
#endif
     }
     atomic {
       readRedis(i);
       if
       :: !frozen -> readSQL(i)
       :: else
       fi;
       promise(i)
     }
  od
}

proctype SQL() {
end:
  frozen = true;
  frozen = false
}

// The stop.
// modules/settings/change.go: Store.Change
proctype Operator() {
  byte i, written;
  bool ok, sql;
  atomic {
    if :: i = 0 :: i = 1 fi;
    if
    :: !frozen && known[i] != NOTHING -> row = STOPPED; sql = true
    :: known[i] != NOTHING -> skip         // SQL doesn't answer in time
    fi
  }
  // keep_settings.lua
  // modules/settings/change.go: Store.keep
  atomic { redis[0].settings = STOPPED; written = master; wrote(OPERATOR) }
  atomic {
    await(OPERATOR, written, ok);
#ifdef FLAW_ANSWERS_EARLY
    ok = true;
#endif
#ifdef FLAW_COPY_UNCONFIRMED
    if :: sql -> ok = true :: else fi;
#endif
    if
#if !WAIT
    :: ok && !sql -> ok = false            // 202: no replica has it
#endif
    :: else
    fi;
    known[i] = MAX(known[i], STOPPED);
#ifdef FLAW_FORGETS
    of_redis[i] = STOPPED;
    if :: sql -> of_sql[i] = STOPPED :: else fi;
#endif
    answered = ok
  }
  // the other instance reads it within a second
}

init {
  byte k;
  atomic {
    redis[0].settings = SOLD;
    everybody(true);
    run Replication(); run SQL(); run Instance(0); run Instance(1); run Operator()
  }
}
