package lua

import (
	"context"
	"fmt"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
)

// guard is put before a script: a command on a key that isn't in KEYS ends it. Redis itself only notices that
// when it runs as a cluster and the key is on another node.
const guard = `
local redis = (function(real)
  local declared = {}
  for _, key in ipairs(KEYS) do declared[key] = true end
  local many = { UNLINK = true, DEL = true }
  return { error_reply = real.error_reply, pcall = function(command, ...)
    if command ~= 'INFO' then error(command .. ' may touch a key that is not in KEYS') end
    return real.pcall(command, ...)
  end, call = function(command, ...)
    local keys = { ... }
    local last = many[command] and #keys or 1
    for i = 1, command == 'TIME' and 0 or last do
      if not declared[keys[i]] then error(command .. ' on a key that is not in KEYS') end
    end
    return real.call(command, ...)
  end }
end)(redis)
`

// scripts are all scripts by file, with the code that precedes each.
func scripts() map[string]struct {
	Script *redis.Script
	Source string
} {
	return map[string]struct {
		Script *redis.Script
		Source string
	}{
		"check_rights.lua":   {checkRights, checkRightsSource},
		"snapshot.lua":       {snapshot, snapshotSource},
		"lease_numbers.lua":  {leaseNumbers, leaseNumbersSource},
		"renumber_order.lua": {renumberOrder, chunksPart + valuesPart + renumberOrderSource},
		"decrement_stock.lua": {
			decrementStock, chunksPart + valuesPart + wavesPart + waitlistPart + rateWindowPart + decrementStockSource,
		},
		"return_stock.lua":   {returnStock, chunksPart + valuesPart + heldPart + returnStockSource},
		"confirm_stock.lua":  {confirmStock, chunksPart + valuesPart + heldPart + confirmStockSource},
		"restock_orders.lua": {restockOrders, chunksPart + valuesPart + heldPart + restockOrdersSource},
		"ack_moved.lua":      {ackMoved, chunksPart + writtenPart + valuesPart + heldPart + ackMovedSource},
		"discard_dead.lua":   {discardDead, chunksPart + writtenPart + valuesPart + heldPart + discardDeadSource},
		"replay_dead.lua":    {replayDead, replayDeadSource},
		"load_activity.lua":  {loadActivity, chunksPart + loadActivitySource},
		"take_permit.lua":    {takePermit, valuesPart + wavesPart + takePermitSource},
		"read_permits.lua":   {readPermits, valuesPart + wavesPart + readPermitsSource},
		"join_line.lua":      {joinLine, joinLineSource},
		"rank_line.lua":      {rankLine, rankLineSource},
		"swap_hold.lua":      {swapHold, chunksPart + valuesPart + swapHoldSource},
		"swap_units.lua":     {swapUnits, chunksPart + valuesPart + swapUnitsSource},
		"change_stock.lua":   {changeStock, chunksPart + valuesPart + wavesPart + changeStockSource},
		"change_waitlist.lua": {
			changeWaitlist,
			chunksPart + valuesPart + wavesPart + waitlistPart + changeWaitlistSource,
		},
		"repair_stock.lua":    {repairStock, chunksPart + repairStockSource},
		"repair_bought.lua":   {repairBought, chunksPart + repairBoughtSource},
		"retire_activity.lua": {retireActivity, retireActivitySource},
		"set_state.lua":       {setState, chunksPart + setStateSource},
		"change_activity.lua": {changeActivity, chunksPart + changeActivitySource},
		"keep_sale.lua":       {keepSale, keepSaleSource},
		"keep_settings.lua":   {keepSettings, keepSettingsSource},
		"fill_buyers.lua":     {fillBuyers, fillBuyersSource},
		"begin_positions.lua": {beginPositions, chunksPart + beginPositionsSource},
	}
}

// declaredKeys runs every script of a client behind the guard.
type declaredKeys struct{}

func (declaredKeys) DialHook(next redis.DialHook) redis.DialHook { return next }

func (declaredKeys) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (declaredKeys) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	guarded := map[string]string{}
	for name, script := range scripts() {
		if redis.NewScript(script.Source).Hash() != script.Script.Hash() {
			panic("scripts() has another source of " + name)
		}
		guarded[script.Script.Hash()] = guard + script.Source
	}
	return func(ctx context.Context, cmd redis.Cmder) error {
		args := cmd.Args()
		if cmd.Name() != "evalsha" {
			return next(ctx, cmd)
		}
		source, known := guarded[args[1].(string)]
		if !known {
			return fmt.Errorf("no script has the hash %v", args[1])
		}
		run := redis.NewCmd(ctx, append([]any{"eval", source}, args[2:]...)...)
		err := next(ctx, run)
		reply := cmd.(*redis.Cmd)
		reply.SetVal(run.Val())
		reply.SetErr(err)
		return err
	}
}

func TestAScriptThatTouchesAKeyOutsideKEYSFailsItsTests(t *testing.T) {
	t.Parallel()
	mini := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr(), MaxRetries: -1})
	t.Cleanup(func() { _ = mini.Close() })
	err := mini.Eval(t.Context(), guard+`return redis.call('GET', 'other')`, []string{"mine"}).Err()
	assert.ErrorContains(t, err, "not in KEYS")
}
