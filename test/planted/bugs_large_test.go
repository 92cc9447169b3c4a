//go:build large

package planted

// bug is a change of one file that breaks a guarantee, and what must see it: a check of the drill or the test of a
// package.
type bug struct {
	name     string
	file     string
	from, to string // each text stands in the file once
	more     []edit
	check    string
	or       string   // a check that may see it instead
	flags    []string // of the drill, beside the flags for all bugs
	pkg, run string   // the test that must fail, instead of a check
}

// edit is another change of the same or of another file.
type edit struct{ file, from, to string }

// bugs are planted in each run.
var bugs = []bug{
	{
		name: "a cancel returns units twice", check: "drift", or: "stock", // if the unit is sold again
		file: "lua/return_stock.lua",
		from: "local stock = raise(KEYS[2], holds, true)",
		to: "local stock = raise(KEYS[2], holds, true)\nwrite('HSET', KEYS[2], stock)\n" +
			"stock = raise(KEYS[2], holds, true)",
	},
}

// moreBugs are planted, too, if ONRUSH_PLANTED is "all": each takes half a minute or more. The first ones are those
// that systems of this kind have. Those with a test are of rules that the test alone holds, beside a story of the whole
// program.
var moreBugs = []bug{
	{
		name: "the mover acknowledges before SQL has committed", check: "orders",
		file: "modules/order/queue/move.go",
		from: "			return m.storeBatch(ctx, b)",
		to: `			if _, err := m.ackBatch(ctx, lane, 0, b); err != nil {
				return err
			}
			return m.storeBatch(ctx, b)`,
		more: []edit{{
			"modules/order/queue/ack.go", "	acked, err := m.ackBatch(ctx, lane, w.kept, s.batch)",
			"	acked := lua.Acked{Seen: len(s.waiting), Removed: len(s.waiting)}",
		}},
	},
	{
		name: "a refund is sent twice", check: "money",
		file: "modules/pay/refunds.go",
		from: "		err = gateway.Refund(call, refund)",
		to: `		err = gateway.Refund(call, refund)
		again := *refund
		again.Number++
		_ = gateway.Refund(call, &again)`,
	},
	{
		name: "my orders reads Redis after SQL", check: "lists",
		file: "modules/order/myorders/service.go",
		from: "	list := w.list()\n",
		to: `	time.Sleep(20 * time.Millisecond)
	if later, err := s.cache.find(ctx, m, s.written.Of(user)); err == nil {
		has := map[int64]bool{}
		for _, e := range later.entries {
			has[int64(e.number)] = true
		}
		var rows []Row
		for _, r := range w.rows {
			if !r.cached() || has[int64(r.Number)] {
				rows = append(rows, r)
			}
		}
		w.rows = rows
	}
	list := w.list()
`,
	},
	{
		name: "the limit is checked without the quantity", check: "stock", flags: []string{"--scenario=classic"},
		file: "lua/decrement_stock.lua",
		from: "bought[a] + quantity > activity_limit", to: "bought[a] > activity_limit",
	},
	{
		name: "a permit is not used up", check: "gates",
		file: "lua/decrement_stock.lua",
		from: "if permits and (code == PLACED or code == SOLD_OUT", to: "if permits and (code == SOLD_OUT",
	},
	{
		name: "a limit is counted by each instance alone", check: "gates", flags: []string{"--real", "--flood"},
		file: "modules/limit/limiter.go",
		from: "	if l.judge == nil || now.UnixMilli()", to: "	if l.judge != nil || now.UnixMilli()",
	},
	{
		name: "the event of a cancel is written before its transaction", check: "events",
		file: "modules/order/cancel.go",
		from: "	err := c.db.Share(ctx, ContendedRows(o), func() error {",
		to: `	if err := c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		return c.changed.writeStatuses(ctx, tx, "order.cancelled", int64(o.PlacedAt), o)
	}); err != nil {
		return err
	}
	err := c.db.Share(ctx, ContendedRows(o), func() error {`,
		more: []edit{{
			"modules/order/cancel_sql.go",
			"	if err := c.writeStatuses(ctx, tx, journal.OrderCancelled, atMS, now...); err != nil {",
			"	if err := error(nil); journal.OrderCancelled == \"\" || len(now) == 0 {",
		}},
	},
	{
		name: "my orders has orders of others", check: "lists",
		file: "modules/order/myorders/filter.go",
		from: `	w.And("user_id = ?", m.user)`, to: `	w.And("(user_id = ? OR number % 7 = 0)", m.user)`,
	},
	{
		name: "a refund in part is answered and rolled back", check: "money",
		file: "modules/pay/refund_order.go",
		from: `		refund, err = o.refundIn(ctx, tx, by, key, paid, req)
		return err
	})`,
		to: `		refund, err = o.refundIn(ctx, tx, by, key, paid, req)
		if err == nil && req.Amount != nil {
			err = sql.ErrTxDone
		}
		return err
	})
	if errors.Is(err, sql.ErrTxDone) {
		err = nil
	}`,
	},
	{
		name: "all orders of a call are checked against the limit before one is counted", check: "stock",
		flags: []string{"--scenario=classic"},
		file:  "lua/decrement_stock.lua",
		from:  "elseif a and bought[a] + quantity > activity_limit then",
		to:    "elseif a and before[a] + quantity > activity_limit then",
		more: []edit{{
			"lua/decrement_stock.lua", "load(KEYS[4], bought_fields, bought)",
			"load(KEYS[4], bought_fields, bought)\n" +
				"local before = {}\nfor name, units in pairs(bought) do\n  before[name] = units\nend",
		}},
	},
	{
		name: "those who come late do not wait", check: "gates", flags: []string{"--over=6s"},
		file: "lua/join_line.lua",
		from: "position = math.max(position, last[2] + 1)", to: "position = first",
	},
	{
		name: "a task says that it has failed while its order is not stored", check: "orders",
		file: "modules/seckill/task_status.go",
		from: "	case lua.TaskSubmitted:\n", to: "	case lua.TaskSubmitted:\n		return TaskFailed\n",
	},
	{
		name: "the path of a buyer may be used by another", check: "gates",
		file: "modules/seckill/sign.go",
		from: "s.path.Sign(user,", to: `s.path.Sign("",`,
		more: []edit{{
			"modules/seckill/sign.go",
			"s.path.Accepts(buf[len(body):], user,", `s.path.Accepts(buf[len(body):], "",`,
		}},
	},
	{
		name: "any answer to the human check is right", check: "gates",
		file: "modules/seckill/gates/human/check.go",
		from: "	return check.Verify(ctx, s, answer)", to: "	_ = check\n	return nil",
	},
	{
		name: "a cancel is answered and not made", check: "orders",
		file: "modules/order/cancel.go",
		from: "		o, err := c.ensure.EnsureStored(ctx, user, n)\n",
		to: `		o, err := c.ensure.EnsureStored(ctx, user, n)
		if err == nil {
			return nil
		}
`,
	},
	{
		name: "a discarded entry returns its units twice",
		pkg:  "./lua", run: "TestDiscardedDeadOrderReturnsItsUnitsOnce",
		file: "lua/discard_dead.lua",
		from: "return hold, raise(KEYS[2], { hold }, true)", to: "return hold, raise(KEYS[2], { hold, hold }, true)",
	},
	{
		name: "a stock change that is sent again is applied again",
		pkg:  "./modules/seckill/inventory", run: "TestStockChangesOncePerKeyUnderConcurrentRequests",
		file: "modules/seckill/inventory/change.go",
		from: "	if sqldb.IsDuplicate(err) { // a concurrent call has inserted the same change\n",
		to: "	if sqldb.IsDuplicate(err) || want.Replayed {\n" +
			"		want.ID, want.Replayed = changePrefix+rand.Text(), false\n",
	},
	{
		name: "permits are given without regard to the ratio",
		pkg:  "./lua", run: "TestOutstandingPermitsAreLimitedByTheRatio",
		file: "lua/take_permit.lua", from: "and issued < most then", to: "then",
	},
	{
		name: "an order is placed with a permit that has expired",
		pkg:  "./lua", run: "TestAPermitIsOneOrder",
		file: "lua/decrement_stock.lua",
		from: "expiries[k] and expiries[k] + 0 > now", to: "expiries[k] and true",
	},
	{
		name: "a cancel keeps what its buyer may buy",
		pkg:  "./lua", run: "TestReturnGivesUnitsAndCountsBackOnce",
		file: "lua/return_stock.lua",
		from: "write('HSET', KEYS[4], counts)\nwrite('HDEL', KEYS[4], gone)\n", to: "",
	},
	{
		name: "a bundle gives the units of one part back",
		pkg:  "./modules/seckill/inventory", run: "TestBasketsTakeAllOrNothingWhateverHappensToThem",
		file: "lua/held.lua",
		from: "    each_take(hold, function(sku, quantity)\n",
		to: "    local given\n    each_take(hold, function(sku, quantity)\n" +
			"      if given then\n        return\n      end\n      given = true\n",
	},
	{
		name: "a line of a bundle takes the money of another order",
		pkg:  "./test/e2e", run: "TestALineOfABundleNeverRefundsMoreThanWasPaid",
		file: "modules/order/refund.go",
		from: "refunded_amount <= total_amount - ?`", to: "refunded_amount <= total_amount + ?`",
	},
	{
		name: "units are reserved for everybody", check: "wishes", flags: []string{"--scenario=wishes"},
		file: "modules/seckill/reserved.go",
		from: "	case err == nil:\n", to: "	case err == nil || problem.CodeOf(err) == eligible.CodeNotEligible:\n",
	},
	{
		name: "a cancel whose instance died stays unfinished",
		pkg:  "./modules/order", run: "TestCancelThatCrashedIsSettledByTheJob",
		file: "modules/order/stock_outbox.go",
		from: "var kinds = [...]OutboxKind{OutboxReturn, OutboxConfirm, OutboxRestock}",
		to:   "var kinds = [...]OutboxKind{OutboxConfirm, OutboxRestock}",
	},
	{
		name: "a repeated request places another ordinary order",
		pkg:  "./modules/order/ordinary", run: "TestConcurrentRequestsWithOneKeyGetOneOrderAndEqualAnswers",
		file: "modules/order/ordinary/place.go",
		from: "	prefix := taskPrefix(user, key)\n",
		to:   "	prefix := taskPrefix(user, fmt.Sprint(key, p.random()))\n",
	},
	{
		name: "my orders lacks archived orders",
		pkg:  "./modules/order/myorders", run: "TestEveryWalkShowsEachOrderOnceWhileOrdersArePlacedMovedAndArchived",
		file: "modules/order/myorders/sql.go",
		from: "EXISTS (SELECT 1 FROM orders_archive WHERE user_id = ?)",
		to:   "EXISTS (SELECT 1 FROM orders_archive WHERE user_id = ? AND 1 = 0)",
	},
	{
		name: "an erased inviter stays in orders that are stored later",
		pkg:  "./modules/order", run: "TestAnOrderThatIsStoredLaterForgetsItsInviterAndNothingElse",
		file: "modules/order/insert.go",
		from: "	if err := forgetInviters(ctx, tx, orders); err != nil {",
		to:   "	if err := forgetInviters(ctx, tx, nil); err != nil {",
	},
	{
		name: "a repair corrects the total and no point",
		pkg:  "./lua", run: "TestRepairRestoresAndDropsHoldsAndAddsToTheStock",
		file: "lua/repair_stock.lua",
		from: "  redis.call('HINCRBY', KEYS[2], ARGV[adds + 2 * i - 1], ARGV[adds + 2 * i])\n",
		to: "  local add = string.find(ARGV[adds + 2 * i - 1], '~') and 0 or ARGV[adds + 2 * i]\n" +
			"  redis.call('HINCRBY', KEYS[2], ARGV[adds + 2 * i - 1], add)\n",
	},
	{
		name: "a due order that was paid just before is cancelled",
		pkg:  "./modules/order", run: "TestAnOrderPaidAfterItsPageWasReadStaysPaidAndTheOthersGo",
		file: "modules/order/cancel_sql.go",
		from: "		WHERE status = 'unpaid' AND pay_before_ms <= ?",
		to:   "		WHERE status <> 'cancelled' AND pay_before_ms <= ?",
	},
}
