package model

import "pgregory.net/rapid"

// actions are what may happen, some of it more often.
var actions = []struct {
	name  string
	often int
	do    func(*model, *rapid.T)
}{
	{"Place", 12, (*model).Place},
	{"PlaceAgain", 2, (*model).PlaceAgain},
	{"List", 3, (*model).List},
	{"AskTask", 1, (*model).AskTask},
	{"Cancel", 4, (*model).Cancel},
	{"Pay", 8, (*model).Pay},
	{"PayAgain", 1, (*model).PayAgain},
	{"Money", 10, (*model).Money},
	{"MoneyAgain", 2, (*model).MoneyAgain},
	{"Refund", 4, (*model).Refund},
	{"RefundAgain", 1, (*model).RefundAgain},

	{"ChangeSale", 3, (*model).ChangeSale},
	{"ChangeStock", 3, (*model).ChangeStock},
	{"ChangeStockAgain", 1, (*model).ChangeStockAgain},
	{"Clone", 1, (*model).Clone},
	{"End", 1, (*model).End},
	{"GiveBack", 1, (*model).GiveBack},
	{"Spoil", 2, (*model).Spoil},
	{"Mend", 1, (*model).Mend},
	{"Discard", 1, (*model).Discard},
	{"Reload", 2, (*model).Reload},

	{"Move", 5, (*model).Move},
	{"CancelDue", 3, (*model).CancelDue},
	{"Settle", 3, (*model).Settle},
	{"SendRefunds", 3, (*model).SendRefunds},
	{"QueryPayments", 2, (*model).QueryPayments},
	{"Preheat", 2, (*model).Preheat},
	{"Audit", 1, (*model).Audit},
	{"Retire", 1, (*model).Retire},
	{"Announce", 1, (*model).Announce},
	{"Wait", 3, (*model).Wait},
	{"Restart", 1, (*model).Restart},
	{"LoseRedis", 1, (*model).LoseRedis},
}

// lots has each action as often as it shall be drawn.
var lots = func() (lots []int) {
	for i, a := range actions {
		for range a.often {
			lots = append(lots, i)
		}
	}
	return lots
}()

// Act lets something happen.
func (m *model) Act(t *rapid.T) {
	for done := false; !done; {
		done = m.try(t)
	}
}

// nothing is what an action panics with that has nothing to act on. rapid would end the sequence after many actions
// that were skipped.
type nothing struct{}

// try draws an action, and reports whether there was something to act on.
func (m *model) try(t *rapid.T) (done bool) {
	defer func() {
		switch r := recover(); r {
		case nil, nothing{}:
		default:
			panic(r)
		}
	}()
	a := actions[lots[uniform(len(lots)).Draw(t, "lot")]]
	t.Log(a.name)
	a.do(m, t)
	m.seen.count("action " + a.name)
	return true
}
