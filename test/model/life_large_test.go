//go:build large

package model

import (
	"testing"

	"onrush/test/kit"
)

func TestOrdersLiveAsTheModelSaysOnRealStores(t *testing.T) {
	t.Parallel()
	explore(t, kit.OnReal)
}
