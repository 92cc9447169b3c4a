package order

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onBadHolds       = reached.At("order: holds that can't be read are written anew")
	onLoaded         = reached.At("order: units stay pending, since their sale was loaded")
	onNotLoaded      = reached.At("order: units stay pending, since their sale is not loaded")
	onUnconfirmed    = reached.At("order: units stay pending, since too few replicas of Redis have them")
	onOneByOne       = reached.At("order: due orders are cancelled one by one")
	onDecided        = reached.At("order: a due order was paid or cancelled meanwhile")
	onReturnLater    = reached.At("order: units of cancelled orders are given back later")
	onCancelUnlocked = reached.At("order: an order is cancelled without its lock")
)
