// Package model explores the life of an order: it draws sequences of what buyers, operators, gateways and jobs do, on
// two instances of the program over the same stores, and holds the program against a small model after each action.
//
//	Place ──▶ in Redis ──Move, Pay, Cancel──▶ unpaid ──Money──▶ paid ──Refund──▶ refunded (after the last part)
//	            │   │                            └──Cancel, CancelDue──▶ cancelled
//	            │   └──Spoil──▶ dead ──Discard──▶ failed
//	            │                └──Mend──▶ in Redis
//	            └──LoseRedis──▶ lost
//
// The other actions repeat a request with its key (PlaceAgain, PayAgain, MoneyAgain, RefundAgain, ChangeStockAgain),
// change a sale (ChangeSale, ChangeStock, Clone, End, GiveBack), run the jobs, read (List, AskTask), restart an
// instance, or let time pass, which only the model's clock does.
//
// A sale sells one sku; or two, and a bundle of both, whose orders take the units of its parts; or it reserves units
// for one of the buyers, until GiveBack ends that.
//
// An action may have one fault, at a step or call that is drawn: the work stops after a step, as if the process were
// killed there (order.Faults); a call doesn't reach Redis; Redis carries a call out, and its answer is lost; a
// call of SQL fails, or its commit is not heard of (embedded only); the other instance runs a job between two steps or
// calls; or Redis is emptied there, and loaded. The steps are those where Redis, SQL or a gateway has changed
// and something else has not yet. Whoever sends a request sends it again until its outcome is known, as clients do.
//
// What holds after each action, read from the stores without the program:
//   - Every accepted order is in SQL, or in its queue, or dead; nothing else is. Its status follows the last one, as
//     drawn above, and for a reason: money came, somebody cancelled, or its time is over.
//   - Per sale, sku and stock point, total = remaining + placed + sold + returning + changing, with the
//     program's audit.
//   - Nobody has more units than the limit of a sale, nobody took a unit that is reserved for another buyer, and what
//     was refused had to be.
//   - The money of each transaction is goods and refunds. Each refund was asked for, and was paid back once at most.
//   - My orders has each order once, on pages of every size, by number, cursor and status.
//   - The feed has one event for each change, in the order of the changes of an order.
//   - A key gives the same order, payment, refund or change.
//
// At the end of a sequence the faults end and the jobs run: every order is decided, every unit is in its place, and all
// money is goods or back.
//
// rapid prints the seed of a failed sequence, and finds a shorter one. The same seed draws the same actions; only the
// numbers of orders differ. To explore for longer:
//
//	go test ./test/model -rapid.checks 2000 -timeout 0
//	go test -tags large ./test/model -run RealStores -rapid.checks 200 -timeout 0
package model
