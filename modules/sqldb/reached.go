package sqldb

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onDeadlock       = reached.At("sqldb: a transaction runs again after a deadlock")
	onLockTimeout    = reached.At("sqldb: a transaction runs again after a wait for locked rows")
	onChanged        = reached.At("sqldb: a transaction runs again, since its rows had changed")
	onGivenUp        = reached.At("sqldb: a transaction is given up after its last try")
	onCommitFailed   = reached.At("sqldb: a commit fails, or its outcome is unknown")
	onReadOnly       = reached.At("sqldb: a write fails, since the server is read-only")
	onNoWrites       = reached.At("sqldb: a write fails, since the server takes none")
	onReadOnlyConn   = reached.At("sqldb: a new connection leads to a read-only server")
	onBadConn        = reached.At("sqldb: a connection to the primary takes no statement any more")
	onFormer         = reached.At("sqldb: a connection from before a failover is not used again")
	onReplicaSkipped = reached.At("sqldb: a replica is not asked, since it was away a moment ago")
	onReplicaBehind  = reached.At("sqldb: the primary is read, since the replica is behind")
	onReplicaAway    = reached.At("sqldb: the primary is read, since the replica is away")
	onGuarded        = reached.At("sqldb: the server ended a transaction, and no more statements of it run")
	onBusy           = reached.At("sqldb: an owner whose rows were locked is skipped")
)

// markAgain marks why a transaction runs again.
func markAgain(err error) {
	switch {
	case IsDeadlock(err):
		onDeadlock.Mark()
	case IsLockTimeout(err):
		onLockTimeout.Mark()
	default:
		onChanged.Mark()
	}
}
