package myorders

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onNoCache    = reached.At("myorders: a list lacks the cached orders, since Redis failed to answer")
	onOnlyCached = reached.At("myorders: a list has only the cached orders, since SQL failed to answer")
	onBehind     = reached.At("myorders: the primary is read, since the replica lacks what was written")
	onGetCached  = reached.At("myorders: an order is read from the cache, since SQL failed to answer")
	onMoved      = reached.At("myorders: an order was moved between the reads of both stores")
	onUnreadable = reached.At("myorders: the cached orders of a user can't be read")
	onLarge      = reached.At("myorders: a user has many cached orders")
)
