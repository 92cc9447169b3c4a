// Part of the models: a primary of Redis whose replica may be behind, and failovers to it.
//
// Before it includes this file, a model defines
//
//   typedef Redis          the keys that it needs
//   inline copy(to, from)  copies them from one Redis to another
//   CLIENTS                how many processes write to Redis
//   FAILOVERS              how many failovers may happen
//   WAIT                   0 or 1: ONRUSH_REDIS_REPLICAS, the replicas that an answer waits for
//
// A replica gets the writes in their order, so a failover gives clients what the primary had at some moment: when the
// replica got its last write. That is the moment "cut" here. Until then the replica has all that it may need to have,
// and the model doesn't keep it.

#define FOLLOWS 0
#define CUT 1

Redis redis[3];      // the primary; its replica, while it is cut off; and an empty one
byte master;         // the primary's run: the next primary has another one
byte link;           // FOLLOWS or CUT
byte failovers;
bool has[CLIENTS];   // the replica has, or may soon have, what the client wrote last

// wrote follows each write of a client.
inline wrote(client) { has[client] = (link == FOLLOWS) }

// await is WAIT in the same round trip as a client's last write, which the primary with a run was sent. The replica may
// be slow in any case.
// lua/replicas.go: Confirm.add, Confirm.reached, Scripts.onMaster
inline await(client, written, ok) {
#if WAIT
  if
  :: master == written && has[client] -> ok = true
  :: ok = false
  fi
#else
  ok = (master == written)
#endif
}

inline everybody(value) {
  k = 0;
  do
  :: k < CLIENTS -> has[k] = value; k++
  :: else -> k = 0; break
  od
}

proctype Replication() {
  byte k;
end:
  do
  :: d_step { link == FOLLOWS && failovers < FAILOVERS -> copy(1, 0); link = CUT }
  :: d_step { link == CUT -> copy(0, 1); copy(1, 2); everybody(false); link = FOLLOWS; master++; failovers++ }
  od
}
