package redisdb

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"onrush/modules/tlsfiles"
)

// The limits of connections to Redis. An earlier deadline of the caller applies.
const (
	dialTimeout = 500 * time.Millisecond
	callTimeout = time.Second // of one read or write, unless the URL has read_timeout or write_timeout
	poolTimeout = 500 * time.Millisecond
	poolSize    = 64 // to a single server, and to each node of a cluster whose URL has no pool_size
)

// Connect returns the client that the scripts run on. The URL is redis:// or rediss://; with addr
// parameters (redis://host:port?addr=host2:port2) it names the nodes of a cluster, and with a parameter master, which
// is the name of a master, the sentinels that watch it. With rediss://, tls_ca, tls_cert and tls_key are paths of PEM
// files.
//
// Connect sends nothing, so it succeeds while Redis is unavailable. The client retries no script whose
// reply was lost: it may have run, and only the caller knows whether it may run again. A cluster client
// may retry pipelines. Errors never contain the URL, since it may contain a password.
func Connect(rawURL string) (redis.UniversalClient, error) { return ConnectChecked(rawURL, nil) }

// Check decides, before anything else is sent over a new connection to an address, whether it may be used.
type Check func(ctx context.Context, addr string, conn redis.Cmdable) error

// ConnectChecked is Connect with a check of each new connection, unless check is nil. Calls that would use a refused
// one have the error of the check.
func ConnectChecked(rawURL string, check Check) (redis.UniversalClient, error) {
	u, err := url.Parse(rawURL)
	if err != nil || isCut(u) {
		return nil, errURL
	}
	rawURL, files := cutFiles(u)
	if u.Scheme != "rediss" && !files.None() {
		return nil, errors.New("redis: tls_ca, tls_cert and tls_key need a URL that begins with rediss://")
	}
	if u.Query().Has("master") {
		return connectSentinels(rawURL, files, check)
	}
	if u.Query().Has("addr") {
		return connectCluster(rawURL, files, check)
	}
	opts, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, errURL
	}
	if err := intoTLS(files, opts.TLSConfig); err != nil {
		return nil, err
	}
	opts.PoolSize = poolSize
	limit(opts, check)
	client := redis.NewClient(opts)
	client.AddHook(wholePipeline{})
	return client, nil
}

// Escapes says how to write a user and a password in a URL.
const Escapes = "in the user and the password, write / as %2F, # as %23, ? as %3F, @ as %40, : as %3A and % as %25"

var errURL = errors.New("redis: the URL can't be read (redis://user:password@host:port/database); " + Escapes)

// isCut reports whether the password has ended at a character that must be escaped, so that the rest of it is in
// another part of the URL.
func isCut(u *url.URL) bool {
	return u.Fragment != "" || strings.Contains(u.Path, "@")
}

// limit sets what connections to a single server and to a node of a cluster have in common.
func limit(opts *redis.Options, check Check) {
	opts.Protocol = 2 // the types and push messages of version 3 are not needed
	opts.MaxRetries = -1
	opts.DialerRetries = 1
	opts.ContextTimeoutEnabled = true
	opts.DialTimeout = dialTimeout
	opts.ReadTimeout = cmp.Or(opts.ReadTimeout, callTimeout)
	opts.WriteTimeout = cmp.Or(opts.WriteTimeout, callTimeout)
	opts.PoolTimeout = poolTimeout
	opts.MinIdleConns = 2
	opts.DisableIdentity = true
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if check != nil {
		addr := opts.Addr
		opts.OnConnect = func(ctx context.Context, conn *redis.Conn) error { return check(ctx, addr, conn) }
	}
}

// cutFiles removes the parameters that name the files of TLS from a URL.
func cutFiles(u *url.URL) (rawURL string, files tlsfiles.Files) {
	query := u.Query()
	files = tlsfiles.Files{CA: query.Get("tls_ca"), Cert: query.Get("tls_cert"), Key: query.Get("tls_key")}
	if files.None() {
		return u.String(), files
	}
	for _, name := range []string{"tls_ca", "tls_cert", "tls_key"} {
		query.Del(name)
	}
	u.RawQuery = query.Encode()
	return u.String(), files
}

// intoTLS reads the files into a configuration, which is nil without TLS.
func intoTLS(files tlsfiles.Files, cfg *tls.Config) error {
	if cfg == nil || files.None() {
		return nil
	}
	if err := files.Into(cfg); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	return nil
}

func connectCluster(rawURL string, files tlsfiles.Files, check Check) (redis.UniversalClient, error) {
	opts, err := redis.ParseClusterURL(rawURL)
	if err != nil {
		return nil, errors.New("redis: the URL can't be read (redis://user:password@host:port?addr=host2:port2); " +
			Escapes)
	}
	if err := intoTLS(files, opts.TLSConfig); err != nil {
		return nil, err
	}
	opts.PoolSize = cmp.Or(opts.PoolSize, poolSize)
	opts.ContextTimeoutEnabled = true // for what the cluster client writes and reads itself: pipelines, subscriptions
	opts.ReadTimeout = cmp.Or(opts.ReadTimeout, callTimeout)
	opts.WriteTimeout = cmp.Or(opts.WriteTimeout, callTimeout)
	opts.NewClient = func(node *redis.Options) *redis.Client {
		limit(node, check)
		client := redis.NewClient(node)
		client.AddHook(lostAnswer{hide: true})
		return client
	}
	cluster := redis.NewClusterClient(opts)
	cluster.AddHook(lostAnswer{})
	cluster.AddHook(wholePipeline{})
	return cluster, nil
}

// lostAnswer keeps a cluster client, which retries when a key has moved, from also retrying when the
// reply of a call was lost: the hook on each node wraps such an error in a hiddenError, and the hook
// on the cluster client unwraps it. Pipelines may be retried: most only read, LeaseSeq would only skip
// numbers, and counts of answers, which are for statistics, may be too high.
type lostAnswer struct{ hide bool }

type hiddenError struct{ err error }

func (h *hiddenError) Error() string { return h.err.Error() }

func (lostAnswer) DialHook(next redis.DialHook) redis.DialHook { return next }

func (lostAnswer) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l lostAnswer) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if hidden, ok := errors.AsType[*hiddenError](err); ok {
			return hidden.err
		}
		if _, answered := errors.AsType[redis.Error](err); err == nil || answered || !l.hide {
			return err
		}
		return &hiddenError{err}
	}
}

// LogTo sends go-redis's own messages, such as one per failed dial, to log at debug level. Callers see
// the same failures in the errors of their calls. It applies to the whole process; call it once,
// before the first Connect.
func LogTo(log *slog.Logger) { redis.SetLogger(clientLog{log}) }

type clientLog struct{ log *slog.Logger }

func (c clientLog) Printf(ctx context.Context, format string, args ...any) {
	if c.log.Enabled(ctx, slog.LevelDebug) {
		c.log.DebugContext(ctx, "redis client", slog.String("message", fmt.Sprintf(format, args...)))
	}
}

// LeastVersion is the first major version of Redis that runs the scripts. Valkey reports the version of Redis that it
// is compatible with.
const LeastVersion = 7

// ErrOld says that Redis is older than LeastVersion.
var ErrOld = fmt.Errorf("redis: version %d.0 or later is needed", LeastVersion)

// ErrNoInfo says that the login may not run INFO, by which a run of a master is told from the next run. The scripts
// lease no numbers without this right (lua/lease_numbers.lua).
var ErrNoInfo = errors.New("redis: the login must have the right to run INFO (ACL SETUSER <user> +info): without it, " +
	"order numbers would be given twice after a failover")

// embeddedAnswer ends the answer of a Redis in another program to INFO with a section.
const embeddedAnswer = ") is not supported"

// isNoInfo reports whether an error of INFO is a refusal of a server that others may replace.
func isNoInfo(err error) bool {
	return isRefusal(err) && !strings.HasSuffix(err.Error(), embeddedAnswer)
}

// CheckVersion returns ErrOld if a node is too old, and ErrNoInfo if it refuses to return its version. An unreachable
// one is an error, too.
func CheckVersion(ctx context.Context, rdb redis.UniversalClient) error {
	return EachNode(ctx, rdb, func(ctx context.Context, _ string, node redis.Cmdable) error {
		return checkVersion(ctx, node)
	})
}

func checkVersion(ctx context.Context, node redis.Cmdable) error {
	text, err := node.Info(ctx, "server").Result()
	switch {
	case isNoInfo(err):
		return fmt.Errorf("%w (it answers %q)", ErrNoInfo, err.Error())
	case isRefusal(err):
		return nil
	case err != nil:
		return fmt.Errorf("redis: read the version: %w", err)
	}
	if version := ParseInfo(text)["redis_version"]; IsOld(version) {
		return fmt.Errorf("%w (it is %s)", ErrOld, version)
	}
	return nil
}

// IsOld reports whether a version of Redis, such as 6.2.14, is below LeastVersion. It is false for "".
func IsOld(version string) bool {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n < LeastVersion
}

// ErrEvicts says that Redis may evict orders when its memory is full.
var ErrEvicts = errors.New("redis: maxmemory-policy must be noeviction, or orders may be evicted")

// CheckPolicy returns ErrEvicts if Redis may evict keys. If Redis does not return its policy, CheckPolicy logs a
// warning and returns nil. An unreachable Redis is an error.
func CheckPolicy(ctx context.Context, rdb redis.UniversalClient, log *slog.Logger) error {
	return EachNode(ctx, rdb, func(ctx context.Context, addr string, node redis.Cmdable) error {
		return checkPolicy(ctx, Node{addr, node}, log)
	})
}

// CheckNode is CheckVersion and CheckPolicy for one node.
func CheckNode(ctx context.Context, node redis.Cmdable, log *slog.Logger) error {
	if err := checkVersion(ctx, node); err != nil {
		return err
	}
	return checkPolicy(ctx, Node{client: node}, log)
}

// checkPolicy reads the policy from INFO, which is there where CONFIG is not, as at many managed services.
func checkPolicy(ctx context.Context, node Node, log *slog.Logger) error {
	m, err := node.Memory(ctx)
	switch {
	case err != nil:
		return err
	case m.Policy == "":
		log.WarnContext(ctx, "redis does not return its maxmemory-policy; make sure that it is noeviction")
	case m.Evicts():
		return fmt.Errorf("%w (it is %s)", ErrEvicts, m.Policy)
	}
	return nil
}

// isPassing reports whether an error reply is temporary or concerns the login, rather than the
// command itself.
func isPassing(answer redis.Error) bool {
	for _, prefix := range []string{
		"LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOAUTH", "WRONGPASS", "ERR max number of clients",
	} {
		if strings.HasPrefix(answer.Error(), prefix) {
			return true
		}
	}
	return false
}
