package eligible

import (
	"context"
	"time"

	"onrush/lua"
	"onrush/modules/order/limitkey"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Sale is what the gate needs of a sale.
type Sale struct {
	Eligible Settings
	LimitKey string // the claim by which purchases are counted; "": by user
	List     lua.BuyerList
}

// Buyer is a buyer who asks for a path.
type Buyer struct {
	User string
	Code string // "" without one
	// Claim returns the texts of a claim of the buyer's verified token.
	Claim func(name string) []string
}

// Gate decides who may buy in sales that are for some buyers only, and by what purchases are counted. It is safe for
// concurrent use.
type Gate struct {
	list  *list
	codes *codes
	keys  limitkey.Maker
}

// NewGate returns a Gate.
func NewGate(db *sqldb.DB, scripts *lua.Scripts, keys limitkey.Maker, now func() time.Time) *Gate {
	return &Gate{list: newList(scripts, now), codes: newCodes(db, now), keys: keys}
}

// Admit returns nil if a buyer is one of those for whom the sale is. Errors: not_eligible; code_invalid for a code that
// can't be used; unavailable if that can't be decided now.
func (g *Gate) Admit(ctx context.Context, s *Sale, b Buyer) error {
	if c := s.Eligible.Claim; c != nil && b.Claim != nil && c.meets(b.Claim(c.Name)) {
		return nil
	}
	if s.Eligible.List {
		if in, err := g.list.has(ctx, s.List, b.User); err != nil || in {
			return err
		}
	}
	if s.Eligible.Code {
		if in, err := g.codes.admit(ctx, s.List.Activity, b.User, b.Code); err != nil || in {
			return err
		}
	}
	return errNotEligible
}

// LimitKey returns under what the purchases of a buyer are counted: "" if that is the user. The error is
// limit_key_missing if the token lacks the claim of the sale, or has another value than one text.
func (g *Gate) LimitKey(ctx context.Context, s *Sale, b Buyer) (string, error) {
	if s.LimitKey == "" {
		return "", nil
	}
	var texts []string
	if b.Claim != nil {
		texts = b.Claim(s.LimitKey)
	}
	if len(texts) != 1 {
		return "", errNoLimitKey
	}
	key, ok, err := g.keys.Make(ctx, s.List.Activity, s.LimitKey, texts[0])
	if err == nil && !ok {
		err = errNoLimitKey
	}
	return key, err
}

// errLoading asks a buyer to come again, since Redis doesn't have the whole list yet.
var errLoading = problem.Errorf(problem.CodeUnavailable, "The list of this sale's buyers is being loaded.").
	After(2 * time.Second)
