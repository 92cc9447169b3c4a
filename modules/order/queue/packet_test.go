package queue_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

// The orders of one batch are larger than the server takes in one statement.
func TestBatchLargerThanMaxAllowedPacketIsStored(t *testing.T) {
	t.Parallel()
	kit.NotOnVitess(t, kit.NoUsers)
	own := kit.Own(t)
	ctx := t.Context()
	_, err := own.DB.Write.ExecContext(ctx, `SET GLOBAL max_allowed_packet = 1048576`)
	require.NoError(t, err)
	const orders = 400
	s := stage.Open(t, own.Stores, stage.Sale{Stock: map[string]int64{"0": orders}})
	small := s.StartOn(t, nil, own.ConnectSQL(t), own.Redis) // a new connection has the new value
	for i := range orders / 100 {
		var batch []*order.Order
		for j := range 100 {
			o := s.Order(fmt.Sprintf("user%d-%d", i, j), catalogue.DefaultPoint, 1)
			o.Fields = order.FreeFields{"text": strings.Repeat("'\n", 2000)}
			batch = append(batch, o)
		}
		_, err := s.TryPlace(ctx, batch...)
		require.NoError(t, err)
	}
	moved, _, err := small.Mover.MoveLane(ctx, s.Lane)
	require.NoError(t, err)
	assert.Equal(t, orders, moved, "in one batch")
	assert.Empty(t, s.QueueLine(t))
	assert.Len(t, s.Stored(t), orders)
	s.Balanced(t)

	_, err = own.DB.Write.ExecContext(ctx, `SET GLOBAL max_allowed_packet = 524288`)
	require.NoError(t, err)
	_, err = sqldb.OpenMySQL(context.WithoutCancel(ctx), own.MySQLDSN, 1)
	require.ErrorContains(t, err, "max_allowed_packet is 524288")
}
