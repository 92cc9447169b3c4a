package rounds

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// Rig is two instances of the program, as processes, over a redis-server with a replica and a SQL server, with a link
// from each instance to each store. The stores flush every write, to file systems in memory that may be filled.
type Rig struct {
	// Skipped are the kinds of faults that can't happen here, with the reason.
	Skipped map[Kind]string
	// SkippedChanges are the kinds of changes that can't happen here, with the reason.
	SkippedChanges map[ChangeKind]string

	stores   *kit.Owned
	redis    [2]*node // the primary, and its replica
	sqlDisk  *disk
	links    map[Target]*kit.Link
	copying  *kit.Link // from the replica to the primary
	receiver *httptest.Server
	program  string // the file
	dir      string // for the files of rounds that failed

	claims    map[string]*sync.Mutex // of faults that are under way
	instances map[Target]*instance
	replicas  int               // that instances ask to have an order
	lanes     int               // the most that an instance has asked for
	secrets   map[string]string // by the name of the setting
}

// node is a redis-server.
type node struct {
	*kit.Server

	disk   *disk
	client *redis.Client
}

// instance is an instance of the program.
type instance struct {
	name  Target
	url   string
	env   []string
	clock string // the file that says by how much its clock is wrong
	// binary is the program; "" for this one.
	binary string

	mu      sync.Mutex
	process *kit.Program // nil before the first start
}

// NewRig starts the stores, and builds the program, whose drill judges. dir keeps the files that people read after a
// round has failed.
func NewRig(t testing.TB, dir string) *Rig {
	t.Helper()
	r := &Rig{
		Skipped:        map[Kind]string{},
		SkippedChanges: map[ChangeKind]string{},
		links:          map[Target]*kit.Link{},
		instances:      map[Target]*instance{},
		dir:            dir,
		claims:         map[string]*sync.Mutex{},
		secrets:        map[string]string{},
		receiver:       httptest.NewServer(&receiver{}),
	}
	t.Cleanup(r.receiver.Close)
	r.skipChanges(t)
	for _, setting := range site.Env() {
		name, value, _ := strings.Cut(setting, "=")
		r.secrets[name] = value
	}
	var err error
	r.lanes, err = strconv.Atoi(r.secrets["ONRUSH_LANES"])
	require.NoError(t, err)
	for _, k := range Kinds {
		for _, target := range k.Targets {
			for _, claim := range (Fault{Kind: k.Kind, Target: target}).claims() {
				r.claims[claim] = &sync.Mutex{}
			}
		}
	}
	r.program, err = kit.Build(t.TempDir(), "onrush/app")
	require.NoError(t, err)
	r.startStores(t)
	for name, links := range map[Target][2]Target{A: {ARedis, ASQL}, B: {BRedis, BSQL}} {
		r.links[links[0]] = kit.NewLink(t, r.redis[0].Addr)
		r.links[links[1]] = kit.NewLink(t, r.stores.SQLServer.Addr)
		r.instances[name] = r.newInstance(t, name, r.links[links[0]], r.links[links[1]])
	}
	return r
}

// startStores starts the servers, and a user of SQL who is no administrator: a read-only server lets administrators
// write.
func (r *Rig) startStores(t testing.TB) {
	t.Helper()
	disks := r.newDisks(t)
	redisOn := func(d *disk) kit.Option {
		args := []string{"--repl-diskless-sync-delay", "0"}
		if d != nil {
			args = append(args, "--dir", d.dir)
		}
		return kit.RedisArgs(args...)
	}
	second := kit.Own(t, kit.RedisOnly(), kit.FsyncAlways(), redisOn(disks[1]))
	if r.sqlDisk = disks[2]; r.sqlDisk != nil {
		const folders = "TMPDIR" // where the folders of servers are made
		former := os.Getenv(folders)
		require.NoError(t, os.Setenv(folders, r.sqlDisk.dir))
		defer func() { require.NoError(t, os.Setenv(folders, former)) }()
	}
	r.stores = kit.Own(t, kit.FsyncAlways(), kit.FlushAtCommit(), redisOn(disks[0]))
	for i, server := range []*kit.Server{r.stores.RedisServer, second.RedisServer} {
		client := redis.NewClient(&redis.Options{
			Addr: server.Addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, ReadTimeout: patience,
		})
		t.Cleanup(func() { _ = client.Close() })
		r.redis[i] = &node{Server: server, disk: disks[i], client: client}
	}
	r.copying = kit.NewLink(t, r.redis[0].Addr)
	r.follow(t)
	for _, statement := range []string{
		"CREATE USER shop@'%' IDENTIFIED BY ''",
		"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX ON *.* TO shop@'%'",
	} {
		_, err := r.stores.DB.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

// newDisks mounts a file system for each server, if that is allowed here.
func (r *Rig) newDisks(t testing.TB) (disks [3]*disk) {
	t.Helper()
	for i := range disks {
		var err error
		if disks[i], err = newDisk(t); err != nil {
			r.Skipped[FullDisk] = err.Error()
		}
	}
	return disks
}

// follow makes the second Redis a replica of the first one.
func (r *Rig) follow(t testing.TB) {
	t.Helper()
	host, port, err := net.SplitHostPort(r.copying.Addr)
	require.NoError(t, err)
	require.NoError(t, r.redis[1].client.Do(context.WithoutCancel(t.Context()), "REPLICAOF", host, port).Err())
}

// followed waits until the replica of Redis has got what the primary had.
func (r *Rig) followed(t testing.TB) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	require.Eventually(t, func() bool {
		text, err := r.redis[1].client.Info(ctx, "replication").Result()
		return err == nil && strings.Contains(text, "master_link_status:up")
	}, patience, pollEvery, "the replica of Redis follows")
}

func (r *Rig) newInstance(t testing.TB, name Target, toRedis, toSQL *kit.Link) *instance {
	t.Helper()
	dsn, err := mysql.ParseDSN(r.stores.MySQLDSN)
	require.NoError(t, err)
	const within = 10 * time.Second // else a call on a half-open connection may take half of the time to settle
	dsn.User, dsn.Addr, dsn.ReadTimeout, dsn.WriteTimeout = "shop", toSQL.Addr, within, within
	addr := fmt.Sprintf("127.0.0.1:%d", kit.FreePort(t))
	i := &instance{name: name, url: "http://" + addr, clock: filepath.Join(r.dir, string(name))}
	i.env = append(site.Env(), clockFile+"="+i.clock, "ONRUSH_ADDR="+addr, "ONRUSH_PUBLIC_URL="+i.url,
		"ONRUSH_REDIS_URL=redis://"+toRedis.Addr+"/0", "ONRUSH_MYSQL_DSN="+dsn.FormatDSN(), "ONRUSH_LOG=warn",
		"ONRUSH_KEEP=orders="+order.MinKeep.String(),
		"ONRUSH_EVENTS_ALLOW_PRIVATE=127.0.0.1")
	i.step(t, 0)
	return i
}

// start starts the instance, which is killed at the end of the test t.
func (i *instance) start(t testing.TB) {
	t.Helper()
	binary, err := os.Executable()
	require.NoError(t, err)
	i.mu.Lock()
	defer i.mu.Unlock()
	env := i.env
	if i.binary != "" { // it knows nothing of the file of a clock
		binary = i.binary
		env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, clockFile+"=") })
	}
	i.process = kit.Run(t, binary, env...)
}

// step makes the instance's clock wrong by d.
func (i *instance) step(t testing.TB, d time.Duration) {
	t.Helper()
	require.NoError(t, os.WriteFile(i.clock, []byte(d.String()), 0o600))
}

// startWith makes both instances run with the setting, anew unless they do already.
func (r *Rig) startWith(t testing.TB, replicas int) {
	t.Helper()
	for _, i := range r.instances {
		if i.process != nil && r.replicas == replicas {
			continue
		}
		if i.process != nil {
			i.process.Kill(t)
		}
		const setting = "ONRUSH_REDIS_REPLICAS="
		i.env = append(i.env, fmt.Sprint(setting, replicas)) // the last one counts
		i.start(t)
	}
	r.replicas = replicas
}

// whole waits until everything runs and is connected, as it must be between two rounds.
func (r *Rig) whole(t testing.TB) {
	t.Helper()
	r.followed(t)
	for _, i := range r.instances {
		require.Eventually(t, func() bool {
			res, err := http.Get(i.url + "/readyz")
			if err != nil {
				return false
			}
			_ = res.Body.Close()
			return res.StatusCode == http.StatusOK
		}, patience, pollEvery, "instance %s is ready", i.name)
	}
}

const (
	// patience is how long the rig waits for what takes part of a second.
	patience  = 30 * time.Second
	pollEvery = 20 * time.Millisecond
)
