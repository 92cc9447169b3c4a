// Package own starts the program that a drill has for itself, disturbs it, and changes it behind its back.
package own

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"onrush/app/drill"
	"onrush/app/servers"
	"onrush/modules/loop"
)

// Program is a program that a drill starts itself, on stores that nobody else uses.
type Program struct {
	URLs      []string
	JWTSecret string
	Redis     *servers.Server // nil on embedded stores
	SQL       *servers.Server // nil on embedded stores
	DSN       string          // of MySQL; "" on embedded stores
	SQLite    string          // the file; "" on real stores

	dir       string
	program   string
	env       []string
	instances []*servers.Process
	addrs     []string
}

// database is the name of the database on own SQL servers.
const database = "onrush_drill"

// Start starts a program: on embedded stores, or on a redis-server that flushes each write and a mariadbd or mysqld,
// with that many instances.
func Start(ctx context.Context, program string, onReal bool, instances int) (*Program, error) {
	if !onReal && instances != 1 {
		return nil, errors.New("on embedded stores a program has one instance")
	}
	o := &Program{program: program, JWTSecret: "drill-" + rand.Text() + rand.Text()}
	var err error
	if o.dir, err = servers.TempDir(true); err != nil {
		return nil, err
	}
	if err = o.startAll(ctx, onReal, instances); err != nil {
		o.Stop()
		return nil, err
	}
	return o, nil
}

func (o *Program) startAll(ctx context.Context, onReal bool, instances int) error {
	o.env = []string{
		"ONRUSH_JWT_SECRET=" + o.JWTSecret, "ONRUSH_PATH_SECRET=drill-" + rand.Text() + rand.Text(),
		"ONRUSH_TRUSTED_PROXIES=127.0.0.1", "ONRUSH_STOP_DELAY=0s", "ONRUSH_LOG=warn",
		"HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH"),
	}
	if onReal {
		if err := o.startStores(ctx); err != nil {
			return err
		}
	} else {
		o.env = append(o.env, "ONRUSH_DATA_DIR="+o.dir)
		o.SQLite = filepath.Join(o.dir, "onrush.db")
	}
	for range instances {
		port, err := servers.FreePort()
		if err != nil {
			return err
		}
		addr := net.JoinHostPort("127.0.0.1", fmt.Sprint(port))
		o.addrs, o.URLs = append(o.addrs, addr), append(o.URLs, "http://"+addr)
		o.instances = append(o.instances, nil)
	}
	o.env = append(o.env, "ONRUSH_PUBLIC_URL="+o.URLs[0])
	for i := range o.instances {
		if err := o.Start(i); err != nil {
			return err
		}
	}
	return nil
}

func (o *Program) startStores(ctx context.Context) (err error) {
	if o.Redis, err = servers.StartRedis(true, "always"); err != nil {
		return err
	}
	const bufferMB = 256
	if o.SQL, err = servers.StartSQL(true, true, bufferMB); err != nil {
		return err
	}
	admin, err := servers.AdminSQL(o.SQL.Addr)
	if err != nil {
		return err
	}
	defer func() { _ = admin.Close() }()
	if _, err = admin.ExecContext(ctx, "CREATE DATABASE "+database); err != nil {
		return err
	}
	o.DSN = servers.SQLConfig(o.SQL.Addr, database).FormatDSN()
	o.env = append(o.env, "ONRUSH_REDIS_URL="+servers.RedisURL(o.Redis.Addr, 0), "ONRUSH_MYSQL_DSN="+o.DSN,
		"ONRUSH_SANDBOX_SECRET=whsec_"+base64.StdEncoding.EncodeToString([]byte(rand.Text())), "ONRUSH_LANES=4")
	return nil
}

// Start starts an instance, or starts it again.
func (o *Program) Start(i int) (err error) {
	dir := filepath.Join(o.dir, fmt.Sprintf("instance-%d", i))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	env := append(slices.Clone(o.env), "ONRUSH_ADDR="+o.addrs[i])
	o.instances[i], _, err = servers.StartProgram(dir, env, o.program, "serve")
	return err
}

// Kill ends an instance without a warning.
func (o *Program) Kill(i int) { o.instances[i].Kill() }

// Freeze suspends an instance until Thaw.
func (o *Program) Freeze(i int) error { return o.instances[i].Signal(servers.Suspend) }

// Thaw resumes an instance.
func (o *Program) Thaw(i int) error { return o.instances[i].Signal(servers.Resume) }

// used returns the processor time of each part; on Linux only.
func (o *Program) used() map[string]time.Duration {
	used := map[string]time.Duration{}
	for _, p := range o.instances {
		if d, err := p.Used(); err == nil {
			used["the program"] += d
		}
	}
	for part, s := range map[string]*servers.Server{"Redis": o.Redis, "SQL": o.SQL} {
		if s == nil {
			continue
		}
		if d, err := s.Used(); err == nil {
			used[part] = d
		}
	}
	return used
}

// Busy returns how many processors each part has had while visitors came.
func (o *Program) Busy(run drill.Running) []drill.Busy {
	_ = loop.Wait(run.Context, time.Until(run.Start))
	began, before := time.Now(), o.used()
	_ = loop.Wait(run.Context, time.Until(run.Start.Add(run.Over)))
	var all []drill.Busy
	for part, used := range o.used() {
		all = append(all, drill.Busy{Part: part, Busy: float64(used-before[part]) / float64(time.Since(began))})
	}
	return all
}

// Stop ends everything, and removes its data.
func (o *Program) Stop() {
	for _, p := range o.instances {
		if p == nil {
			continue
		}
		_ = p.Signal(syscall.SIGTERM)
		select {
		case <-p.Ended():
		case <-time.After(5 * time.Second):
			p.Kill()
		}
	}
	if o.Redis != nil {
		o.Redis.Stop()
	}
	if o.SQL != nil {
		o.SQL.Stop()
	}
	_ = os.RemoveAll(o.dir)
}
