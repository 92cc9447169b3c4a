package numbers

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onTaken = reached.At("numbers: a lease is dropped, since one of its numbers was taken")
)
