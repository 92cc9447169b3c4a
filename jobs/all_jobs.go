package jobs

import (
	"slices"
	"time"
)

// MoveOrders is the job whose pause also pauses the movers of all instances.
const MoveOrders = "move_orders"

// Functions are what the jobs of the table call. A job without a function is off.
type Functions struct {
	MoveOrders          RunFunc
	CancelUnpaid        RunFunc
	SettleStock         RunFunc
	AnnounceSales       RunFunc
	Preheat             RunFunc
	FillBuyers          RunFunc
	RetireActivities    RunFunc
	ReportDead          RunFunc
	Audit               RunFunc
	DeleteFinished      RunFunc
	ArchiveOrders       RunFunc
	FillReceivers       RunFunc
	FillSources         RunFunc
	SendRefunds         RunFunc
	QueryPayments       RunFunc
	GiveVouchers        RunFunc
	ServeWaitlists      RunFunc
	TellReminders       RunFunc
	FlushAnswerCounters RunFunc
}

// Table lists the jobs of the program that have a function, in the order in which operators see them.
func Table(f Functions) []Job {
	all := slices.Concat(saleJobs(f), upkeepJobs(f), moneyJobs(f))
	return slices.DeleteFunc(all, func(j Job) bool { return j.RunOnce == nil })
}

// saleJobs are what sales and their orders wait for.
func saleJobs(f Functions) []Job {
	return []Job{
		{
			Name: MoveOrders, Every: 5 * time.Second, Within: 30 * time.Second, RunOnce: f.MoveOrders,
			Purpose: "moves what the movers left in the queues",
		},
		{
			Name: "cancel_unpaid", Every: time.Second, Within: time.Minute, RunOnce: f.CancelUnpaid,
			Purpose: "cancels orders whose time to pay is over, and gives their units back",
		},
		{
			Name: "settle_stock", Every: time.Second, Within: 30 * time.Second, RunOnce: f.SettleStock,
			Purpose: "carries out in Redis what SQL decided: returned units, paid orders, stock changes",
		},
		{
			Name: "announce_sales", Every: time.Second, Within: 30 * time.Second, RunOnce: f.AnnounceSales,
			Purpose: "writes the events of sales that started, sold out or ended",
		},
		{
			Name: "preheat", Every: 2 * time.Second, Within: time.Minute, RunOnce: f.Preheat,
			Purpose: "loads activities that are missing in Redis",
		},
		{
			Name: "fill_buyers", Every: time.Second, Within: time.Minute, RunOnce: f.FillBuyers,
			Purpose: "copies the lists of buyers of sales to Redis",
		},
		{
			Name: "retire_activities", Every: time.Minute, Within: 50 * time.Second, RunOnce: f.RetireActivities,
			Purpose: "deletes the Redis keys of sales that ended long ago",
		},
	}
}

// upkeepJobs look for faults, and for data that is old.
func upkeepJobs(f Functions) []Job {
	return []Job{
		{
			Name: "report_dead", Every: time.Minute, Within: 10 * time.Second, RunOnce: f.ReportDead,
			Purpose: "logs a warning while there are dead entries",
		},
		{
			Name: "audit", Every: time.Minute, Within: 50 * time.Second, RunOnce: f.Audit,
			Purpose: "compares Redis with SQL, repairs what it can prove, and reports the rest",
		},
		{
			Name: "delete_finished", Every: time.Minute, Within: 50 * time.Second, RunOnce: f.DeleteFinished,
			Purpose: "deletes what has been finished for long enough",
		},
		{
			Name: "archive_orders", Every: time.Minute, Within: 50 * time.Second, RunOnce: f.ArchiveOrders,
			Purpose: "moves old finished orders into the archive",
		},
		{
			Name: "fill_receivers", Every: time.Minute, Within: 50 * time.Second, RunOnce: f.FillReceivers,
			Purpose: "writes the receivers of orders that an older version stored, for the search",
		},
		{
			Name: "fill_sources", Every: time.Minute, Within: 50 * time.Second, RunOnce: f.FillSources,
			Purpose: "writes what attribution adds up of orders that an older version stored or changed",
		},
	}
}

// moneyJobs call gateways, and give what was paid or waited for.
func moneyJobs(f Functions) []Job {
	return []Job{
		{
			Name: "send_refunds", Every: time.Second, Within: time.Minute, RunOnce: f.SendRefunds,
			Purpose: "sends refunds to the gateways, and asks about those under way",
		},
		{
			Name: "query_payments", Every: time.Second, Within: 2 * time.Minute, RunOnce: f.QueryPayments,
			Purpose: "asks the gateways about payments whose webhook did not come, and closes those that are over",
		},
		{
			Name: "give_vouchers", Every: 5 * time.Second, Within: 30 * time.Second, RunOnce: f.GiveVouchers,
			Purpose: "gives imported codes to paid orders that wait for them",
		},
		{
			Name: "serve_waitlists", Every: time.Second, Within: 30 * time.Second, RunOnce: f.ServeWaitlists,
			Purpose: "offers units that came back to the buyers who wait for them",
		},
		{
			Name: "tell_reminders", Every: time.Second, Within: 30 * time.Second, RunOnce: f.TellReminders,
			Purpose: "writes the events that remind buyers of sales",
		},
		{
			Name: "flush_answer_counters", Every: time.Second, Within: 5 * time.Second, Internal: true,
			RunOnce: f.FlushAnswerCounters, Purpose: "adds this instance's counts of answers to those in Redis",
		},
	}
}
