package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/problem"
)

// Clone puts the detail into a sentence of its own, which ends with a full stop.
func TestTheReasonOfARefusedCloneHasNoFullStop(t *testing.T) {
	t.Parallel()
	wrong := []problem.Field{{Name: "shop_id", Detail: "must be set"}, {Name: "title", Detail: "must be set"}}
	assert.Equal(t, "shop_id: must be set", detailOf(problem.InvalidFields(wrong[:1])))
	assert.Equal(t, "2 fields are not valid", detailOf(problem.InvalidFields(wrong)))
}
