package redisdb

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/modules/tlsfiles"
)

// connectSentinels returns a client of the master that sentinels name. The URL is
// redis://user:password@sentinel:26379/db?master=name&addr=sentinel2:26379. The user and the password log in to the
// master, and the parameters sentinel_user and sentinel_password to the sentinels, if they ask for any. With rediss://
// both speak TLS.
func connectSentinels(rawURL string, files tlsfiles.Files, check Check) (redis.UniversalClient, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errURL
	}
	query := u.Query()
	sentinels := &redis.FailoverOptions{
		MasterName:    query.Get("master"),
		SentinelAddrs: query["addr"], SentinelUsername: query.Get("sentinel_user"),
		SentinelPassword: query.Get("sentinel_password"),
	}
	for _, name := range []string{"master", "addr", "sentinel_user", "sentinel_password"} {
		query.Del(name)
	}
	for i, addr := range sentinels.SentinelAddrs {
		sentinels.SentinelAddrs[i] = withPort(addr)
	}
	u.Host = withPort(u.Host)
	u.RawQuery = query.Encode()
	opts, err := redis.ParseURL(u.String())
	if err != nil || sentinels.MasterName == "" || u.Hostname() == "" {
		return nil, fmt.Errorf("redis: the URL can't be read (redis://user:password@sentinel:26379/database?"+
			"master=name&addr=sentinel2:26379); %s", Escapes)
	}
	if err := intoTLS(files, opts.TLSConfig); err != nil {
		return nil, err
	}
	limit(opts, nil)
	sentinels.SentinelAddrs = append([]string{opts.Addr}, sentinels.SentinelAddrs...)
	sentinels.Username, sentinels.Password, sentinels.DB = opts.Username, opts.Password, opts.DB
	sentinels.Protocol, sentinels.MaxRetries = opts.Protocol, opts.MaxRetries
	sentinels.DialerRetries, sentinels.PoolSize = opts.DialerRetries, poolSize
	sentinels.ContextTimeoutEnabled, sentinels.DisableIdentity = opts.ContextTimeoutEnabled, opts.DisableIdentity
	sentinels.IdentitySuffix = sentinels.MasterName // is sent to nobody then; nameOf reads it
	sentinels.DialTimeout, sentinels.ReadTimeout = opts.DialTimeout, opts.ReadTimeout
	sentinels.WriteTimeout, sentinels.PoolTimeout = opts.WriteTimeout, opts.PoolTimeout
	sentinels.MinIdleConns, sentinels.OnConnect = opts.MinIdleConns, checkMaster(sentinels.MasterName, check)
	if opts.TLSConfig != nil {
		opts.TLSConfig.ServerName = "" // each server is checked by its own name
		sentinels.TLSConfig = opts.TLSConfig
	}
	client := redis.NewFailoverClient(sentinels)
	client.AddHook(wholePipeline{})
	return client, nil
}

// checkMaster checks each run of a master by itself, since another server has the same name after a failover. It skips
// the sentinels, to which the client connects with the same options.
func checkMaster(name string, check Check) func(context.Context, *redis.Conn) error {
	if check == nil {
		return nil
	}
	return func(ctx context.Context, conn *redis.Conn) error {
		text, err := conn.Info(ctx, "server").Result()
		info := ParseInfo(text)
		if err == nil && info["redis_mode"] == "sentinel" {
			return nil
		}
		return check(ctx, strings.TrimSpace(name+" "+info["run_id"]), conn)
	}
}

// nameOf returns what operators call the server of a client: host:port, or the name that sentinels know a master by,
// whose address changes.
func nameOf(client *redis.Client) string {
	return cmp.Or(client.Options().IdentitySuffix, client.Options().Addr)
}

// withPort returns an address with the port of sentinels where it has none.
func withPort(addr string) string {
	if _, _, err := net.SplitHostPort(addr); err != nil && addr != "" {
		return addr + ":26379"
	}
	return addr
}
