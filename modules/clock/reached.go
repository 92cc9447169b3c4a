package clock

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onSource = reached.At("clock: a store doesn't give its time")
	onWrong  = reached.At("clock: the clock of an instance is wrong")
)
