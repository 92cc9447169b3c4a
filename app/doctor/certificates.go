package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/modules/sqldb"
)

// renewedBefore is how long before its end a certificate should have been replaced by the next one; for certificates of
// a few weeks, it is a third of their time.
const renewedBefore = 14 * 24 * time.Hour

// certificates warns if a certificate of the connection expires soon, including the certificate of the authority.
func (d *Doctor) certificates(check string, connection tls.ConnectionState) {
	chain := connection.PeerCertificates
	if len(connection.VerifiedChains) > 0 {
		chain = connection.VerifiedChains[0]
	}
	d.certificate(check, chain...)
}

// certificate warns if the first of the certificates to end does so soon.
func (d *Doctor) certificate(check string, chain ...*x509.Certificate) {
	if len(chain) == 0 {
		return
	}
	first := chain[0]
	for _, c := range chain {
		if c.NotAfter.Before(first.NotAfter) {
			first = c
		}
	}
	d.ends(check, first.NotBefore, first.NotAfter)
}

func (d *Doctor) ends(check string, begin, end time.Time) {
	const hour = time.Hour
	left := end.Sub(d.now())
	detail := fmt.Sprintf("it ends on %s", end.UTC().Format(time.RFC3339))
	switch {
	case left <= 0:
		d.add(check, Failure, detail+": it has ended", "renew it")
	case left < min(renewedBefore, end.Sub(begin)/3):
		d.add(check, Warning, fmt.Sprintf("%s, in %s", detail, left.Round(hour)), "renew it, or see why nothing has")
	default:
		d.add(check, OK, detail, "")
	}
}

// redisTLS looks at the certificates with which the program and a Redis server connect.
func (d *Doctor) redisTLS(ctx context.Context, name string, rdb redis.Cmdable) {
	client, ok := rdb.(*redis.Client)
	if !ok || client.Options().TLSConfig == nil {
		return
	}
	cfg := client.Options().TLSConfig
	for _, own := range cfg.Certificates {
		d.certificate(name+" client certificate", own.Leaf)
	}
	conn, err := client.Options().Dialer(ctx, "tcp", client.Options().Addr) // sentinels may know the address
	if err != nil {
		return // as it was for the commands, which say so
	}
	defer func() { _ = conn.Close() }()
	if secured, ok := conn.(*tls.Conn); ok {
		d.certificates(name+" certificate", secured.ConnectionState())
	}
}

// sqlTLS looks at the certificates with which the program and the SQL server connect. Servers that don't tell the end
// of theirs are passed over.
func (d *Doctor) sqlTLS(ctx context.Context, db *sqldb.DB) error {
	cfg := db.TLS()
	if cfg == nil {
		return nil
	}
	for _, own := range cfg.Certificates {
		d.certificate("sql client certificate", own.Leaf)
	}
	told := map[string]string{}
	rows, err := db.Read.QueryxContext(ctx,
		`SHOW STATUS WHERE Variable_name IN ('Ssl_server_not_before', 'Ssl_server_not_after')`)
	if err != nil {
		return fmt.Errorf("read the certificate of the server: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return fmt.Errorf("read the certificate of the server: %w", err)
		}
		told[name] = value
	}
	const form = "Jan _2 15:04:05 2006 MST"
	begin, noBegin := time.Parse(form, told["Ssl_server_not_before"])
	end, noEnd := time.Parse(form, told["Ssl_server_not_after"])
	if noBegin == nil && noEnd == nil {
		d.ends("sql certificate", begin, end)
	}
	return rows.Err()
}
