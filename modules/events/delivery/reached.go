package delivery

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onRetry       = reached.At("delivery: an event is not taken and is sent again later")
	onGone        = reached.At("delivery: an endpoint wants no more events")
	onPause       = reached.At("delivery: an endpoint asks for a pause")
	onUnreachable = reached.At("delivery: an endpoint gives no answer")
	onStopped     = reached.At("delivery: a round ends early")
	onEnding      = reached.At("delivery: the program ends while a request is in flight")
	onNotStored   = reached.At("delivery: an event that waits is no longer stored")
	onLost        = reached.At("delivery: an endpoint was deleted, changed or taken over during a round")
	onRecovered   = reached.At("delivery: an endpoint answers again, and what waits is due")
	onGivenUp     = reached.At("delivery: an event is given up")
)
