package settings

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onRedisAlone = reached.At("settings: a stop of all sales is kept in Redis, since SQL is away")
	onSQLSlow    = reached.At("settings: SQL doesn't answer a change in time")
	onAbsorbed   = reached.At("settings: SQL gets a stop of all sales that waited in Redis")
	onBadCopy    = reached.At("settings: the copy in Redis can't be read")
	onLacks      = reached.At("settings: Redis gets settings that it lacks")
	onKeptAgain  = reached.At("settings: another instance wrote the copy in Redis at the same time")
	onUncertain  = reached.At("settings: a change is uncertain, since Redis or its replicas may lack it")
)
