// Package lua has the scripts that run inside Redis, and typed functions that call them. A script runs
// atomically, but Redis rolls nothing back, so all its checks come before its first write. The header
// of each .lua file is its contract.
package lua

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Scripts runs the scripts on one Redis or Redis Cluster. It is safe for concurrent use.
//
// The client must not retry (MaxRetries: -1): a call whose reply was lost may have run. After any error
// other than ErrSuperseded the outcome is unknown.
type Scripts struct {
	Redis redis.UniversalClient
	Keys  Keys
	// Waits says how many replicas must have a write after which SQL deletes its own copy. A PlaceCall has its own.
	Waits Confirm
}

// New returns the scripts for the keys of one prefix.
func New(rdb redis.UniversalClient, keys Keys) *Scripts {
	return &Scripts{Redis: rdb, Keys: keys}
}

// ErrSuperseded says that another load has replaced this one: the activity is not loading under the
// epoch of this load.
var ErrSuperseded = errors.New("the load was superseded")

// maxChunk bounds the values of one call of a script that takes any number of values. It is even, so that no field is
// separated from its value.
const maxChunk = 1000

//go:embed value_chunks.lua
var chunksPart string

//go:embed written.lua
var writtenPart string

//go:embed values.lua
var valuesPart string

//go:embed waves.lua
var wavesPart string

//go:embed held.lua
var heldPart string

//go:embed waitlist.lua
var waitlistPart string

//go:embed rate_window.lua
var rateWindowPart string

//go:embed decrement_stock.lua
var decrementStockSource string

//go:embed return_stock.lua
var returnStockSource string

//go:embed confirm_stock.lua
var confirmStockSource string

//go:embed ack_moved.lua
var ackMovedSource string

//go:embed restock_orders.lua
var restockOrdersSource string

//go:embed discard_dead.lua
var discardDeadSource string

//go:embed replay_dead.lua
var replayDeadSource string

//go:embed renumber_order.lua
var renumberOrderSource string

//go:embed load_activity.lua
var loadActivitySource string

//go:embed lease_numbers.lua
var leaseNumbersSource string

//go:embed take_permit.lua
var takePermitSource string

//go:embed join_line.lua
var joinLineSource string

//go:embed rank_line.lua
var rankLineSource string

//go:embed read_permits.lua
var readPermitsSource string

//go:embed change_stock.lua
var changeStockSource string

//go:embed change_waitlist.lua
var changeWaitlistSource string

//go:embed swap_hold.lua
var swapHoldSource string

//go:embed swap_units.lua
var swapUnitsSource string

//go:embed repair_stock.lua
var repairStockSource string

//go:embed repair_bought.lua
var repairBoughtSource string

//go:embed retire_activity.lua
var retireActivitySource string

//go:embed set_state.lua
var setStateSource string

//go:embed change_activity.lua
var changeActivitySource string

//go:embed keep_sale.lua
var keepSaleSource string

//go:embed keep_settings.lua
var keepSettingsSource string

//go:embed check_rights.lua
var checkRightsSource string

//go:embed fill_buyers.lua
var fillBuyersSource string

//go:embed begin_positions.lua
var beginPositionsSource string

//go:embed snapshot.lua
var snapshotSource string

var (
	checkRights    = redis.NewScript(checkRightsSource)
	snapshot       = redis.NewScript(snapshotSource)
	decrementStock = redis.NewScript(
		chunksPart + valuesPart + wavesPart + waitlistPart + rateWindowPart + decrementStockSource)
	returnStock    = redis.NewScript(chunksPart + valuesPart + heldPart + returnStockSource)
	confirmStock   = redis.NewScript(chunksPart + valuesPart + heldPart + confirmStockSource)
	restockOrders  = redis.NewScript(chunksPart + valuesPart + heldPart + restockOrdersSource)
	ackMoved       = redis.NewScript(chunksPart + writtenPart + valuesPart + heldPart + ackMovedSource)
	discardDead    = redis.NewScript(chunksPart + writtenPart + valuesPart + heldPart + discardDeadSource)
	replayDead     = redis.NewScript(replayDeadSource)
	renumberOrder  = redis.NewScript(chunksPart + valuesPart + renumberOrderSource)
	loadActivity   = redis.NewScript(chunksPart + loadActivitySource)
	leaseNumbers   = redis.NewScript(leaseNumbersSource)
	takePermit     = redis.NewScript(valuesPart + wavesPart + takePermitSource)
	joinLine       = redis.NewScript(joinLineSource)
	rankLine       = redis.NewScript(rankLineSource)
	readPermits    = redis.NewScript(valuesPart + wavesPart + readPermitsSource)
	changeStock    = redis.NewScript(chunksPart + valuesPart + wavesPart + changeStockSource)
	changeWaitlist = redis.NewScript(chunksPart + valuesPart + wavesPart + waitlistPart + changeWaitlistSource)
	swapHold       = redis.NewScript(chunksPart + valuesPart + swapHoldSource)
	swapUnits      = redis.NewScript(chunksPart + valuesPart + swapUnitsSource)
	repairStock    = redis.NewScript(chunksPart + repairStockSource)
	repairBought   = redis.NewScript(chunksPart + repairBoughtSource)
	retireActivity = redis.NewScript(retireActivitySource)
	setState       = redis.NewScript(chunksPart + setStateSource)
	changeActivity = redis.NewScript(chunksPart + changeActivitySource)
	keepSale       = redis.NewScript(keepSaleSource)
	keepSettings   = redis.NewScript(keepSettingsSource)
	fillBuyers     = redis.NewScript(fillBuyersSource)
	beginPositions = redis.NewScript(chunksPart + beginPositionsSource)
)

// yes reads the reply of a script that returns 1 for done and 0 for not done.
func yes(code int64, err error) (bool, error) {
	switch {
	case err != nil:
		return false, err
	case code == 1:
		return true, nil
	case code == 0:
		return false, nil
	default:
		return false, unknownCode(code)
	}
}

func unknownCode(code int64) error { return fmt.Errorf("script returned unknown code %d", code) }
