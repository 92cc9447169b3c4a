package aged

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onOldCopy = reached.At("aged: an old copy is used, since its store failed to answer")
)
