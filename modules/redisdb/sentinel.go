package redisdb

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/url"

	"github.com/redis/go-redis/v9"

	"onrush/modules/tlsfiles"
)

// connectSentinels returns a client of the master that sentinels name. The URL is
// redis://user:password@sentinel:26379/db?master=name&addr=sentinel2:26379. The user and the password are those of the
// master; the parameters sentinel_user and sentinel_password are those of the sentinels, if they have any. With
// rediss:// both speak TLS.
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
	if u.Port() == "" {
		u.Host += ":26379"
	}
	u.RawQuery = query.Encode()
	opts, err := redis.ParseURL(u.String())
	if err != nil || sentinels.MasterName == "" {
		return nil, fmt.Errorf("redis: the URL can't be read (redis://user:password@sentinel:26379/database?"+
			"master=name&addr=sentinel2:26379); %s", Escapes)
	}
	if err := intoTLS(files, opts.TLSConfig); err != nil {
		return nil, err
	}
	limit(opts, check)
	sentinels.SentinelAddrs = append([]string{opts.Addr}, sentinels.SentinelAddrs...)
	sentinels.Username, sentinels.Password, sentinels.DB = opts.Username, opts.Password, opts.DB
	sentinels.Protocol, sentinels.MaxRetries = opts.Protocol, opts.MaxRetries
	sentinels.DialerRetries, sentinels.PoolSize = opts.DialerRetries, poolSize
	sentinels.ContextTimeoutEnabled, sentinels.DisableIdentity = opts.ContextTimeoutEnabled, opts.DisableIdentity
	sentinels.DialTimeout, sentinels.ReadTimeout = opts.DialTimeout, opts.ReadTimeout
	sentinels.WriteTimeout, sentinels.PoolTimeout = opts.WriteTimeout, opts.PoolTimeout
	sentinels.MinIdleConns, sentinels.OnConnect = opts.MinIdleConns, exceptSentinels(opts.OnConnect)
	if opts.TLSConfig != nil {
		sentinels.TLSConfig = withoutName(opts.TLSConfig)
	}
	client := redis.NewFailoverClient(sentinels)
	client.AddHook(wholePipeline{})
	return client, nil
}

// exceptSentinels skips a check for connections to sentinels, which the client makes with the same options.
func exceptSentinels(check func(context.Context, *redis.Conn) error) func(context.Context, *redis.Conn) error {
	if check == nil {
		return nil
	}
	return func(ctx context.Context, conn *redis.Conn) error {
		if info, err := conn.Info(ctx, "server").Result(); err == nil && ParseInfo(info)["redis_mode"] == "sentinel" {
			return nil
		}
		return check(ctx, conn)
	}
}

// withoutName returns a configuration that checks the certificate of each server by the server's own name.
func withoutName(cfg *tls.Config) *tls.Config {
	cfg = cfg.Clone()
	cfg.ServerName = ""
	return cfg
}
