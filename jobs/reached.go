package jobs

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onUnknownPause = reached.At("jobs: a job is not run, since it may be paused")
	onNoMark       = reached.At("jobs: a job is run although Redis can't keep other instances from running it, too")
	onCutShort     = reached.At("jobs: a run is cut short")
	onUnwritten    = reached.At("jobs: a run can't be written")
	onSameRun      = reached.At("jobs: another instance wrote a run at the same time")
	onLostRun      = reached.At("jobs: a run is lost with its instance")
)
