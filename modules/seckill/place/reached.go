package place

import "onrush/modules/reached"

// The paths that an ordinary sale doesn't take (see package reached).
var (
	onPressure     = reached.At("seckill: no order is placed, since Redis is nearly full or may evict")
	onBehind       = reached.At("seckill: Redis gets a change of a sale that it missed, and the order is placed again")
	onFull         = reached.At("seckill: Redis is full while orders are placed")
	onUnknown      = reached.At("seckill: it is unknown whether orders were placed")
	onWaitingFull  = reached.At("seckill: too many orders wait to be placed")
	onStopping     = reached.At("seckill: an order comes while the instance stops")
	onUnconfirmed  = reached.At("seckill: an order is placed, and too few replicas of Redis have it")
	onNumberTaken  = reached.At("seckill: the number of an order is taken")
	onTasksLoading = reached.At("seckill: SQL is asked for a task, since Redis doesn't have all of them")
	onReplayed     = reached.At("seckill: an order that is sent again was placed before")
	onNotLoaded    = reached.At("seckill: the sale of an order is not loaded")
	onQueueFull    = reached.At("seckill: too many orders wait to be stored")
	onTooLate      = reached.At("seckill: a script ran after its deadline and placed nothing")
	onStillBehind  = reached.At("seckill: Redis lacks a change of a sale again")
	onStoredTask   = reached.At("seckill: only SQL has the task of an order that is sent again")
)
