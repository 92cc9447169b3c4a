package redisdb

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onStaleLock     = reached.At("redisdb: a lock whose holder is dead is removed")
	onNoLock        = reached.At("redisdb: work is done without a lock, since Redis can't create it")
	onLostLock      = reached.At("redisdb: a lock is lost while its holder works")
	onNoScript      = reached.At("redisdb: a node of Redis doesn't know a script")
	onNoWrites      = reached.At("redisdb: Redis takes no writes")
	onWholePipeline = reached.At("redisdb: a pipeline fails before its first command is sent")
	onTooFew        = reached.At("redisdb: too few replicas follow")
)
