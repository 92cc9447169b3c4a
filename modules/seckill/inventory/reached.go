package inventory

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onTasksLater      = reached.At("inventory: the tasks of a sale are filled later")
	onLoadFull        = reached.At("inventory: a load gives up, since Redis is full")
	onRedisAhead      = reached.At("inventory: Redis has a later load of a sale than SQL")
	onLoadedAlready   = reached.At("inventory: a load finds the sale loaded")
	onTasksResumed    = reached.At("inventory: tasks are filled from where that was interrupted")
	onCatchUp         = reached.At("inventory: Redis gets a change that was committed during a load")
	onLoadQueued      = reached.At("inventory: a load counts an order that only the queue has")
	onLoadReturning   = reached.At("inventory: a load counts units that Redis has not got back yet")
	onHoldsMended     = reached.At("inventory: an audit repairs holds or counts")
	onMoving          = reached.At("inventory: an account is taken again, since too much changed")
	onStockMended     = reached.At("inventory: an audit corrects the units in Redis")
	onUnproven        = reached.At("inventory: an audit leaves a difference that is not proven")
	onSameChange      = reached.At("inventory: a stock change comes twice at once")
	onChangePending   = reached.At("inventory: a stock change stays pending")
	onChangeKnown     = reached.At("inventory: Redis has a stock change already")
	onChangeTooMuch   = reached.At("inventory: fewer units are left than a stock change takes")
	onChangeNotLoaded = reached.At("inventory: a stock change waits for the load of its sale")
	onCloseLoaded     = reached.At("inventory: a stock change is not closed, since its sale was loaded")
	onJobFinished     = reached.At("inventory: a job finishes a stock change")
	onAbandoned       = reached.At("inventory: a stock change is abandoned")
	onOvertaken       = reached.At("inventory: another instance loaded or retired a sale first")
	onMissing         = reached.At("inventory: a sale that Redis lacks is loaded")
	onSpoiled         = reached.At("inventory: a key of a sale has another type")
	onOtherVersion    = reached.At("inventory: Redis has another version of a sale than SQL recorded")
	onOtherLoad       = reached.At("inventory: Redis has another load of a sale than SQL")
)
