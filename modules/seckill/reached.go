package seckill

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onOutdated   = reached.At("seckill: an order is priced again, since its sale was changed")
	onSQLSkipped = reached.At("seckill: SQL is not asked for sales, since it failed to answer a moment ago")
	onCopies     = reached.At("seckill: sales are read from their copies, since SQL failed to answer")
	onNewerKnown = reached.At("seckill: an instance knows a newer version of a sale than its copy")
)
