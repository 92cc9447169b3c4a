// Package servers runs redis-server, mariadbd or mysqld as private processes, on free ports of 127.0.0.1 and with data
// in temporary folders: for the tests, and for the drill. A server ends with the process that started it.
package servers
