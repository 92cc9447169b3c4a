package faults

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/restore"
	"onrush/test/kit"
	"onrush/test/site"
)

// ordersAfterDump is how many orders the backup lacks; the large tests raise it.
var ordersAfterDump = 60

// client runs a client of the SQL server, with the flags of a command, and returns what it prints.
func client(t *testing.T, stores *kit.Stores, input []byte, command ...string) []byte {
	t.Helper()
	cfg, err := mysql.ParseDSN(stores.MySQLDSN)
	require.NoError(t, err)
	host, port, err := net.SplitHostPort(cfg.Addr)
	require.NoError(t, err)
	args := append([]string{"--no-defaults", "--protocol=tcp", "-h", host, "-P", port, "-u", cfg.User}, command[1:]...)
	cmd := exec.CommandContext(t.Context(), command[0], append(args, cfg.DBName)...)
	var out, failed bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &failed
	require.NoError(t, cmd.Run(), failed.String())
	return out.Bytes()
}

// lastEvent returns the highest id of an event.
func lastEvent(t *testing.T, s *site.Site) (last int64) {
	t.Helper()
	s.Number(t)
	require.NoError(t, s.Stores.DB.Read.GetContext(t.Context(), &last, `SELECT position FROM events_head`))
	return last
}

// finishRestore finishes a restore of one running sale, and returns the lost orders by number.
func finishRestore(t *testing.T, s *site.Site, lostSales int) map[string]restore.Lost {
	t.Helper()
	lost := map[string]restore.Lost{}
	done, err := restore.Finish(t.Context(), restore.Stores{
		DB: s.Stores.DB, Redis: s.Stores.Redis, Keys: s.Stores.Keys,
		Pause: func(ctx context.Context, id string) error {
			_, err := s.Server.Activities.Pause(ctx, id)
			return err
		},
	}, func(l restore.Lost) error { lost[l.Number] = l; return nil })
	require.NoError(t, err)
	assert.Equal(t, restore.Done{Paused: 1, Lost: len(lost), LostSales: lostSales}, done)
	return lost
}

// SQL is dumped while a sale runs, more is sold, and then SQL is lost and restored from the dump. Redis has survived,
// or was lost as well.
func TestARestoreFromADumpSellsNothingTwice(t *testing.T) {
	t.Parallel()
	dump, into := backupCommands(t)
	for name, redisLost := range map[string]bool{"redis survived": false, "redis was lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				if stores.MySQLDSN == "" {
					t.Skip("embedded stores are restored by copying their folder")
				}
				restoreAndSell(t, stores, redisLost, dump, into)
			})
		})
	}
}

// backupCommands returns the commands that the document names for the server under test: the first one dumps a
// database, and the second one reads it into an empty one.
func backupCommands(t *testing.T) (dump, into []string) {
	t.Helper()
	kit.NotOnVitess(t, "it has its own backups")
	names := [2]string{"mysqldump", "mysql"}
	if kit.IsMariaDB() {
		names = [2]string{"mariadb-dump", "mariadb"}
	}
	text, err := os.ReadFile("../../docs/operating/backup.md")
	require.NoError(t, err)
	for i, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
		found := regexp.MustCompile(`\b` + name + ` (.*?)-h "\$SQL_HOST" -u "\$SQL_USER" -p onrush`).FindSubmatch(text)
		require.NotNil(t, found, "the document has no %s", name)
		command := append([]string{name}, strings.Fields(string(found[1]))...)
		if i == 0 {
			dump = command
		} else {
			into = command
		}
	}
	return dump, into
}

// sellLater publishes one more sale, and returns two orders of it that are stored, one of which was cancelled.
func sellLater(t *testing.T, s *site.Site) (unpaid, cancelled restore.Lost) {
	t.Helper()
	sale := s.Open(t, site.Sale{SKU: "later"})
	number, yan := placed(t, s.Buyer(t, "zoe").Buy(t, sale, "later", "k")), s.Buyer(t, "yan")
	given := placed(t, yan.Buy(t, sale, "later", "k"))
	s.Drain(t)
	yan.CancelOrder(t, given)
	s.Job(t, "settle_stock")
	return restore.Lost{
		Activity: sale, Number: number, SKU: "later", Point: "0", Quantity: 1, User: "zoe", State: restore.Unpaid,
	}, restore.Lost{Activity: sale, Number: given, State: restore.Ended}
}

func restoreAndSell(t *testing.T, stores *kit.Stores, redisLost bool, dump, into []string) {
	t.Helper()
	const before = 40
	total := int64(before + ordersAfterDump + 10)
	s := site.Start(t, stores, site.Idle())
	activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": total}})
	buy := func(s *site.Site, from, n int) (numbers []string) {
		for i := from; i < from+n; i++ {
			numbers = append(numbers, placed(t, s.Buyer(t, fmt.Sprint("u", i)).Buy(t, activity, "sku", "k")))
		}
		return numbers
	}
	kept := buy(s, 0, before)
	s.Drain(t)
	backup := client(t, stores, nil, dump...)
	lost := buy(s, before, ordersAfterDump-5)
	s.Drain(t)
	ofLater, cancelled := sellLater(t, s)
	waiting := buy(s, before+ordersAfterDump-5, 5) // in Redis only
	event := lastEvent(t, s)
	s.Stop(t)

	client(t, stores, backup, into...)
	if redisLost {
		flush(t, stores)
	}
	idle := site.Start(t, stores, site.Idle())
	reported := finishRestore(t, idle, map[bool]int{false: 1}[redisLost])
	if redisLost {
		waiting = nil
	} else {
		assert.Equal(t, ofLater, reported[ofLater.Number])
		assert.Equal(t, cancelled, reported[cancelled.Number])
		assert.Len(t, reported, len(lost)+2)
		for i, number := range lost {
			assert.Equal(t, restore.Lost{
				Activity: activity, Number: number, SKU: "sku", Point: "0", Quantity: 1,
				User: fmt.Sprint("u", before+i), State: restore.Unpaid,
			}, reported[number])
		}
	}

	after := site.Start(t, stores, site.Idle())
	after.Job(t, "preheat")
	after.Job(t, "settle_stock")
	refused := after.Buyer(t, "early").Call(t, "POST", "/api/v1/seckill/path", "",
		map[string]any{"activity_id": activity, "sku_id": "sku"})
	assert.NotEqual(t, 200, refused.Status, "the sale waits for an operator")
	after.Operator(t).ResumeActivity(t, activity)
	after.Drain(t)
	assert.Empty(t, after.Audit(t, activity))
	left := remaining(t, after, activity)["sku"]
	assert.Equal(t, fmt.Sprint(total-int64(len(kept)+len(waiting))), left)
	fresh := buy(after, 10_000, 3)
	after.Drain(t)
	assert.Empty(t, after.Audit(t, activity))
	requireSound(t, stores, activity)
	for _, number := range fresh {
		assert.NotContains(t, append(lost, kept...), number)
	}
	var first int64
	after.Number(t)
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &first,
		`SELECT MAX(position) FROM events`))
	assert.Greater(t, first, event, "ids of events continue in a new range")
}
