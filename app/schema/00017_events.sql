-- +goose Up
-- What the shop platform hears: a row for each change, written in the transaction of the change. id is chosen by the
-- store, and rows may be committed in another order than that of their ids; position is NULL until the row is
-- numbered after its commit, and it is the id that readers see. subject is the number of the order, payment or refund,
-- or the activity; user_id is '' for what belongs to no buyer. data is '' for events of orders, whose content is read
-- from the orders.
CREATE TABLE IF NOT EXISTS events (
    id       INTEGER     NOT NULL PRIMARY KEY,
    position BIGINT      NULL,
    type     VARCHAR(32) NOT NULL,
    subject  VARCHAR(64) NOT NULL,
    user_id  VARCHAR(64) NOT NULL,
    at_ms    BIGINT      NOT NULL,
    data     TEXT        NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
/*! ALTER TABLE events MODIFY id BIGINT NOT NULL AUTO_INCREMENT */;
CREATE UNIQUE INDEX /*M! IF NOT EXISTS */ events_position ON events (position);

-- The last position that was given. Whoever numbers events locks this row, so that positions are committed in their
-- order.
CREATE TABLE IF NOT EXISTS events_head (
    id       INT    NOT NULL PRIMARY KEY,
    position BIGINT NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
INSERT INTO events_head (id, position)
    SELECT d.id, 0 FROM (SELECT 1 AS id) AS d WHERE NOT EXISTS (SELECT 1 FROM events_head);

-- Which events of a sale's course were written: announced is 0, 1 from its start and 2 from its end on; sold_out is 1
-- while nothing is left of it. Sales that ended before are not announced.
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ announced SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE activities ADD COLUMN /*M! IF NOT EXISTS */ sold_out SMALLINT NOT NULL DEFAULT 0;
UPDATE activities SET announced = 2 WHERE announced = 0 AND (state = 'offline' OR retired_ms <> 0);
CREATE INDEX /*M! IF NOT EXISTS */ activities_announced ON activities (state, announced, starts_ms);

-- +goose Down
DROP INDEX activities_announced /*! ON activities */;
ALTER TABLE activities DROP COLUMN sold_out;
ALTER TABLE activities DROP COLUMN announced;
DROP TABLE events_head;
DROP TABLE events;
