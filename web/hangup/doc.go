// Package hangup tells the writer of a long answer that its client has closed the connection.
package hangup
